export {
  createGuard,
  fitGuard,
  type Guard,
  type GuardRows,
  guardedOutcome,
  type OddReason,
} from './guard.js';
export type { Neighbors } from './neighbors.js';
export { type PixelStatistics, pixelStatistics } from './pixelStatistics.js';
