// Setup: finds, installs or downloads libtorch and builds native libraries against it.

export { type LibtorchArchive, officialArchives } from './archives.js';
export type { DownloadWish } from './downloadLibtorch.js';
export { explainSetup } from './explain.js';
export { type LibtorchSearch, lookForLibtorch, type Try } from './findLibtorch.js';
export { type PrebuildOptions, prebuild } from './prebuild.js';
export type { PrebuiltLibrary, PrebuiltSource } from './prebuilt.js';
export type { BuildPlan, Machine, NativeProject } from './project.js';
export { type SetupOptions, type SetupResult, setup } from './setup.js';
export { type Log, output, programPath, SetupError } from './shell.js';
