/** The pixels that a network sees: 8 bits, rows from the top, channels interleaved. */
export interface PixelFormat {
  readonly width: number;
  readonly height: number;
  /** 1 gray, 3 RGB. */
  readonly channels: 1 | 3;
}
