// Exchanges the metadata of an exported file. The graph and its weights are copied byte for byte.

import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { encoded, message, text } from '../../files/protobuf.js';
import { draftFor } from '../../files/wholeFile.js';
import { sealKey } from './onnxChecksum.js';
import { contentExtents, metadataField } from './onnxMetadata.js';

const copiedAtOnce = 1 << 20;

/**
 * Writes a copy of an ONNX file with other metadata, sealed anew; complete or absent.
 *
 * @example
 * writeOnnxMetadata('sewer.onnx', 'site.onnx', { ...readOnnxMetadata('sewer.onnx'), decision: JSON.stringify(decision) });
 */
export function writeOnnxMetadata(
  path: string,
  out: string,
  metadata: Readonly<Record<string, string>>,
): void {
  const source = openSync(path, 'r');
  try {
    const extents = contentExtents(source);
    const draft = draftFor(out);
    try {
      const hash = createHash('sha256');
      const write = (bytes: Uint8Array) => {
        hash.update(bytes);
        draft.write(bytes);
      };
      for (const { start, end } of extents) copy(source, start, end, write);
      for (const [key, value] of Object.entries(metadata)) {
        if (key !== sealKey) write(metadataEntry(key, value));
      }
      draft.write(metadataEntry(sealKey, hash.digest('hex')));
      draft.finish();
    } catch (error) {
      draft.discard();
      throw error;
    }
  } finally {
    closeSync(source);
  }
}

function copy(source: number, start: number, end: number, write: (bytes: Uint8Array) => void): void {
  for (let at = start; at < end; ) {
    const bytes = new Uint8Array(Math.min(copiedAtOnce, end - at));
    const count = readSync(source, bytes, 0, bytes.length, at);
    if (count === 0) throw new RangeError(`the file ends at byte ${at}`);
    write(bytes.subarray(0, count));
    at += count;
  }
}

/** A StringStringEntryProto of onnx.proto. */
function metadataEntry(key: string, value: string): Buffer {
  return encoded(message(metadataField, [text(1, key), text(2, value)]));
}
