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

/** Where the images of a dataset come from: files, Parquet, or a generator. */
export interface ImageSource {
  /** Why there are no images at all: the dataset is a table of features. */
  readonly absent?: string;
  /**
   * The stored image of a row; rejects with a MissingImageError where it is missing, and with a StorageError where the storage is
   * gone and did not come back.
   */
  read(row: number): Promise<StoredImage>;
  /** Where the image of a row is a file of its own. */
  path?(row: number): string;
  /**
   * A text that changes when the stored image does (size and time of its file): how a cache knows it is stale. Storage that is
   * gone is waited for only on request.
   */
  fingerprint(row: number, options?: { readonly wait?: boolean }): Promise<string>;
  close(): Promise<void>;
}
