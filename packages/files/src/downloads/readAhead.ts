/** How many bytes may wait for the reader before the sender has to. */
const mostWaiting = 8 * 2 ** 20;

/**
 * Returns the parts of a stream, taken from it as soon as they arrive, however slowly they are used. A stream that fails
 * drops the parts that nobody has taken yet: without this, a broken connection would lose bytes that had arrived.
 *
 * @param onPart called for each part as it arrives
 *
 * @example
 * for await (const part of readAhead(response.body)) await file.write(part);
 */
export async function* readAhead(
  stream: ReadableStream<Uint8Array>,
  onPart: () => void = () => {},
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const waiting: Uint8Array[] = [];
  let bytes = 0;
  let news = signal();
  let room = signal();
  let isEnding = false;
  const taking = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || isEnding) return;
      onPart();
      waiting.push(value);
      bytes += value.length;
      news.send();
      if (bytes >= mostWaiting) await room.arrived;
    }
  })().finally(() => {
    isEnding = true;
    news.send();
  });
  // The reader below reports it, once it has used what arrived before.
  taking.catch(() => {});
  try {
    for (;;) {
      const part = waiting.shift();
      if (part) {
        yield part;
        bytes -= part.length;
        if (bytes < mostWaiting) {
          room.send();
          room = signal();
        }
      } else if (isEnding) {
        await taking;
        return;
      } else {
        await news.arrived;
        news = signal();
      }
    }
  } finally {
    isEnding = true;
    room.send();
    await reader.cancel().catch(() => {}); // it may have failed already
  }
}

function signal(): { readonly arrived: Promise<void>; readonly send: () => void } {
  let send = () => {};
  const arrived = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { arrived, send };
}
