import type { Configuration } from '../configuration/schema.js';

/** A run of an experiment, before it starts. */
export interface PlannedRun {
  /** The name of the run folder. */
  readonly name: string;
  readonly folder: string;
  readonly configuration: Configuration;
}
