// In its own file, because the runtime's types are missing if it is not installed.

export interface SessionOptions {
  /**
   * Whether waiting threads spin, which is fastest if nothing else needs the cores. A server needs them for
   * decoding and HTTP; without spinning, a small model has four times the throughput there. Default true.
   */
  readonly spins?: boolean | undefined;
}
