/** A judged image with what the decision made of it. */
export interface Example {
  /** `other`: a positive image with an alarm under another name. */
  readonly outcome: 'found' | 'missed' | 'false-alarm' | 'other';
  /** The image's name in its dataset. */
  readonly name: string;
  /** The classes that are present, and those that were predicted. */
  readonly present: readonly string[];
  readonly predicted: readonly string[];
  readonly width: number;
  readonly height: number;
  /** In base64. */
  readonly jpeg: string;
}
