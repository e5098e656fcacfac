// Apart from the runtime, whose types are not there where it is not installed.

export interface SessionOptions {
  /**
   * Threads that wait for work spin, which answers soonest where nothing else needs the cores. A server's decoding and HTTP do: there
   * it costs more than it gains (four times the throughput of a small model without it). Default true.
   */
  readonly spins?: boolean | undefined;
}
