// Builds packages/torch/native into packages/torch/build/torch.node, and notes beside it which libtorch it is for.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildNativeLibrary } from './nativeLibrary.mjs';
import { root } from './shell.mjs';

/** @param {import('./libtorch.mjs').Libtorch} libtorch */
export async function buildAddon(libtorch) {
  const built = await buildNativeLibrary(
    {
      title: 'the engine, about half a minute',
      sourceFolders: ['packages/torch/native'],
      library: 'packages/torch/build/torch.node',
      uses: (file) => file !== (libtorch.cuda ? 'cudaNone.cc' : 'cuda.cc'),
      flags: ['-O2', '-I', join(root, 'node_modules/node-api-headers/include')],
      linkFlags: [],
    },
    libtorch,
  );
  const description = join(root, 'packages/torch/build/libtorch.json');
  if (built) writeFileSync(description, `${JSON.stringify(libtorch, null, 2)}\n`);
}
