// Failures of a decoder process, as the kinds of its messages.

import { DataError } from '../../../../errors/dataError.js';
import { PixelLimitError } from '../../../dataset/reading/pixelLimit.js';
import { MachineError } from '../../storage/storage.js';
import { ImageFormatError } from '../untrusted.js';

/** By kind, from 1; 0 means that there is none. A DataError, which the others extend, is the last resort. */
const failures = [DataError, MachineError, PixelLimitError, ImageFormatError] as const;

export function failureKind(error: unknown): number {
  return (
    1 +
    Math.max(
      0,
      failures.findLastIndex((type) => error instanceof type),
    )
  );
}

export function failureOf(kind: number, message: string): DataError {
  return new (failures[kind - 1] ?? DataError)(message);
}
