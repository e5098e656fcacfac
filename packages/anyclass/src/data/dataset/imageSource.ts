/** An image as it is stored: the bytes of a JPEG, PNG, WebP…, or pixels that need no decoding. */
export type StoredImage =
  | { readonly kind: 'encoded'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'pixels';
      readonly pixels: Uint8Array;
      readonly width: number;
      readonly height: number;
      readonly channels: 1 | 3;
    };

/** The bytes of an image as it is stored, by which the same image is recognized. */
export function bytesOf(image: StoredImage): Uint8Array {
  return image.kind === 'encoded' ? image.bytes : image.pixels;
}

/** Where the images of a dataset come from: files, Parquet, or a generator. */
export interface ImageSource {
  /** Why the dataset has no images at all: it has features instead. */
  readonly absent?: string;
  /**
   * Reads the stored image of a row. Rejects with a MissingImageError if it is missing, and with a
   * StorageError if the storage is unavailable and did not come back.
   */
  read(row: number): Promise<StoredImage>;
  /** The path of a row's image, if images are files. */
  path?(row: number): string;
  /**
   * A text that changes when the stored image does (its file's size and time), by which a cache detects that
   * it is stale. Waits for unavailable storage only if asked to.
   */
  fingerprint(row: number, options?: { readonly wait?: boolean }): Promise<string>;
  close(): Promise<void>;
}
