import type { NativeProject } from '@anyclass/torch/setup';
import { fusedProject } from './fusedProject.js';
import { imagesProject } from './imagesProject.js';

/** What set-up builds for this package, beside the engine. */
export const nativeProjects: readonly NativeProject[] = [fusedProject, imagesProject];
