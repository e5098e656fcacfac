// The lines of a chart.

export interface LinePoint {
  readonly x: number;
  /** Null leaves a gap. */
  readonly y: number | null;
  /** Ends of the error bar, or of the band at this point. */
  readonly low?: number;
  readonly high?: number;
}

export interface Line {
  readonly name: string;
  readonly points: readonly LinePoint[];
  /** Whether it is only there for comparison, such as the ideal; drawn thin and gray. */
  readonly isReference?: boolean;
}
