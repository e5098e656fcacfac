// Where setup puts native libraries and how programs find them. Loads no library.

export { lacksAddressSpace } from './addressSpace.js';
export {
  type Build,
  type FoundBuild,
  findBuild,
  findBuildFor,
  type LinkedLibtorch,
  libtorchBytes,
  selectBuild,
} from './build.js';
export { EngineError, engineBuild, engineLibrary, operatorLibrary } from './engine.js';
export { buildsFolder, libraryKey, type NativeLibrary, sourceFiles } from './nativeLibrary.js';
