// Set-up: finds or installs libtorch and builds native libraries against it.

export { type LibtorchSearch, lookForLibtorch, type Try } from './findLibtorch.js';
export type { BuildPlan, Machine, NativeProject } from './project.js';
export { type SetupOptions, type SetupResult, setup } from './setup.js';
export { type Log, output, programPath, SetupError } from './shell.js';
