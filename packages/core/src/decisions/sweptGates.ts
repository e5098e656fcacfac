import type { Gate } from './gates.js';

/** How thresholds are fitted. */
export interface ThresholdFit {
  readonly beta: number;
  readonly kappa: number;
}

/** Gates with the thresholds fitted to the rows that pass. */
export interface SweptGates {
  readonly gates: readonly Gate[];
  /** The threshold of gate g and class j is at g · classes + j; Infinity if no positive passes. */
  readonly thresholds: Float64Array;
  /** The mean F_β over the classes at each gate. */
  readonly macroFBeta: Float64Array;
}
