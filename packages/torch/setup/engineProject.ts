import { engineLibrary } from '@anyclass/torch/builds';
import type { NativeProject } from './project.js';

/** libtorch's door to JavaScript. */
export const engineProject: NativeProject = {
  library: engineLibrary,
  title: 'the engine',
  plan: ({ libtorch }) => ({
    uses: (file) => file !== (libtorch?.cuda ? 'cudaNone.cc' : 'cuda.cc'),
    flags: ['-O2'],
    linkFlags: [],
  }),
};
