/** Called as a download proceeds; `total` is undefined if the server does not say. */
export type DownloadListener = (loaded: number, total: number | undefined) => void;

/**
 * Downloads a file's bytes.
 *
 * @throws Error with the address if it cannot be loaded
 *
 * @example
 * const bytes = await download(new URL('model.onnx', location.href), (loaded) => console.log(loaded));
 */
export async function download(
  address: URL,
  onProgress?: DownloadListener,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetched(address);
  const length = response.headers.get('content-length');
  // The length of a compressed response counts the compressed bytes.
  const isPlain = response.headers.get('content-encoding') === null;
  const total = length !== null && isPlain ? Number(length) : undefined;
  if (!response.body || !onProgress) return new Uint8Array(await response.arrayBuffer());
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    loaded += part.value.length;
    onProgress(loaded, total);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function fetched(address: URL): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address);
  } catch (error) {
    throw new Error(`${address} cannot be loaded; check the network connection`, { cause: error });
  }
  if (!response.ok) throw new Error(`${address} cannot be loaded: the server returned ${response.status}`);
  return response;
}
