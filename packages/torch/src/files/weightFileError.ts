/** A weight file cannot be read or written. `SafetensorsError` and `CheckpointError` are its two subclasses. */
export class WeightFileError extends Error {
  override readonly name: string = 'WeightFileError';
  readonly file: string;

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file}: ${problem}`, options);
    this.file = file;
  }
}
