/** What explanations.json has for each image. */
export interface ExplanationRecord {
  readonly name: string;
  readonly labels: readonly string[];
  readonly outcome: string;
  readonly presence: { readonly probability: number; readonly gate: number };
  readonly maps: readonly {
    /** `presence`, or a class. */
    readonly target: string;
    readonly probability: number;
    readonly method: string;
    readonly unit: string;
    /** The largest value, the right end of the scale. */
    readonly peak: number;
    /** Where it is, as shares of the image's width and height; null if nothing speaks for the target. */
    readonly peakAt: { readonly x: number; readonly y: number } | null;
    /** Files in this folder. */
    readonly overlay: string;
    readonly array: string;
  }[];
}
