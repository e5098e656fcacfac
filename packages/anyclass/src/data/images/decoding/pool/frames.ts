// Messages over a pipe: a number for the kind, a length, and that many bytes.

const headerBytes = 8;

/** The header of a message. */
export function frameHeader(kind: number, length: number): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32LE(kind, 0);
  header.writeUInt32LE(length, 4);
  return header;
}

/**
 * Reassembles messages from the chunks that a pipe delivers.
 *
 * @example
 * pipe.on('data', frameReader((kind, payload) => console.log(kind, payload.length)));
 */
export function frameReader(onFrame: (kind: number, payload: Buffer) => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(headerBytes);
  let headerUsed = 0;
  let payload: Buffer | undefined;
  let payloadUsed = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (payload === undefined) {
        const taken = chunk.copy(header, headerUsed, at, at + headerBytes - headerUsed);
        headerUsed += taken;
        at += taken;
        if (headerUsed < headerBytes) return;
        payload = Buffer.allocUnsafe(header.readUInt32LE(4));
        payloadUsed = 0;
      }
      const taken = chunk.copy(payload, payloadUsed, at);
      payloadUsed += taken;
      at += taken;
      if (payloadUsed < payload.length) return;
      const whole = payload;
      payload = undefined;
      headerUsed = 0;
      onFrame(header.readUInt32LE(0), whole);
    }
  };
}
