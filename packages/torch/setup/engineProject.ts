import { join } from 'node:path';
import { engineLibrary } from '@anyclass/torch/builds';
import { isUsed, processGroups } from './processGroups.js';
import type { NativeProject } from './project.js';

/** The addon through which JavaScript calls libtorch. */
export const engineProject: NativeProject = {
  library: engineLibrary,
  title: 'the engine',
  plan: ({ libtorch, log }) => {
    const groups = libtorch ? processGroups(libtorch, log) : { hasGloo: false, nccl: undefined };
    const includes = [
      // Declarations of Gloo's types, which c10d's header mentions; see gloo/context.h in that folder.
      join(engineLibrary.packageFolder, 'native/distributed'),
      ...(groups.nccl === undefined ? [] : [groups.nccl]),
    ];
    return {
      uses: (file) => file !== (libtorch?.cuda ? 'cudaNone.cc' : 'cuda.cc') && isUsed(file, groups),
      flags: ['-O2', ...includes.flatMap((folder) => ['-I', folder])],
      linkFlags: [],
    };
  },
};
