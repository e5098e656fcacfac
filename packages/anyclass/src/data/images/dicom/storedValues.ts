import type { StoredValues } from '../levels/levels.js';
import type { DicomHeader } from './dicomHeader.js';
import type { FrameSamples } from './frameSamples.js';

/**
 * The values of a frame, colors interleaved: the stored bits within the allocated ones, with their sign.
 *
 * @example
 * storedValues(samples, header) // an Int16Array for a CT slice
 */
export function storedValues(samples: FrameSamples, header: DicomHeader): StoredValues {
  const { bitsAllocated, bitsStored, highBit, isSigned } = header;
  const values = allocatedValues(samples.bytes, header);
  const ordered = samples.isPlanar ? interleaved(values, header.samples) : values;
  if (bitsAllocated === 1 || (bitsStored === bitsAllocated && bitsAllocated !== 8)) return ordered;
  if (bitsStored === 8 && bitsAllocated === 8)
    return isSigned ? Int16Array.from(Int8Array.from(ordered)) : ordered;
  // Shifting up drops the bits above; shifting back down extends the sign.
  const up = 31 - highBit;
  const down = 32 - bitsStored;
  const chosen = isSigned && bitsAllocated === 8 ? new Int16Array(ordered.length) : ordered;
  for (let i = 0; i < chosen.length; i++) {
    const top = ordered[i]! << up;
    chosen[i] = isSigned ? top >> down : top >>> down;
  }
  return chosen;
}

function allocatedValues(
  bytes: Uint8Array,
  { bitsAllocated, isSigned, width, height }: DicomHeader,
): StoredValues {
  if (bitsAllocated === 1) {
    return Uint8Array.from({ length: width * height }, (_, i) => (bytes[i >> 3]! >> (i & 7)) & 1);
  }
  const memory = Uint8Array.from(bytes).buffer; // a copy: aligned, and safe to change
  if (bitsAllocated === 8) return new Uint8Array(memory);
  if (bitsAllocated === 16) return isSigned ? new Int16Array(memory) : new Uint16Array(memory);
  return isSigned ? new Int32Array(memory) : new Uint32Array(memory);
}

function interleaved(planes: StoredValues, channels: number): StoredValues {
  if (channels === 1) return planes;
  const out = planes.slice();
  const size = planes.length / channels;
  for (let i = 0; i < size; i++) {
    for (let c = 0; c < channels; c++) out[i * channels + c] = planes[c * size + i]!;
  }
  return out;
}
