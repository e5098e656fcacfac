export { type Bootstrap, bootstrap, type Interval } from './bootstrap.js';
export type { ClassFigure, OverallFigure } from './figures.js';
export {
  type Difference,
  type PairedBootstrap,
  type PairedBootstrapOptions,
  pairedBootstrap,
} from './pairedBootstrap.js';
export type { BootstrapOptions } from './replicates.js';
