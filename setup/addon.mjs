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
      sourceFolders: ['packages/torch/native', 'packages/torch/native/distributed'],
      library: 'packages/torch/build/torch.node',
      uses: (file) => isUsed(file, libtorch),
      flags: [
        '-O2',
        ...[
          join(root, 'node_modules/node-api-headers/include'),
          // Declarations of Gloo's types, which c10d's header mentions: see gloo/context.h there.
          join(root, 'packages/torch/native/distributed'),
          ...(libtorch.nccl ? [libtorch.nccl] : []),
        ].flatMap((folder) => ['-I', folder]),
      ],
      linkFlags: [],
    },
    libtorch,
  );
  const description = join(root, 'packages/torch/build/libtorch.json');
  if (built) writeFileSync(description, `${JSON.stringify(libtorch, null, 2)}\n`);
}

/**
 * Files whose names end in None stand in for what this libtorch does not have.
 *
 * @param {string} file
 * @param {import('./libtorch.mjs').Libtorch} libtorch
 */
function isUsed(file, libtorch) {
  if (file === 'cuda.cc' || file === 'cudaNone.cc')
    return file === (libtorch.cuda ? 'cuda.cc' : 'cudaNone.cc');
  if (file === 'distributedNone.cc') return !libtorch.distributed;
  if (file === 'nccl.cc') return libtorch.distributed && libtorch.nccl !== undefined;
  if (file === 'ncclNone.cc') return libtorch.distributed && libtorch.nccl === undefined;
  return libtorch.distributed || !distributedFiles.includes(file);
}

const distributedFiles = ['background.cc', 'gradientBuckets.cc', 'groups.cc', 'stores.cc', 'works.cc'];
