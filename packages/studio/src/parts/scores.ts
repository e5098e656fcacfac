// Tables of scores as the server sends them.

import type { Scored } from '@anyclass/core';
import type { ScoresHeader } from '../wire/decide.js';

export interface ReceivedScores {
  readonly header: ScoresHeader;
  readonly scored: Scored & { readonly targets: Float64Array };
}

/** Reads a table: see `ScoresHeader`. */
export function receivedScores(bytes: ArrayBuffer): ReceivedScores {
  const length = new DataView(bytes).getUint32(0, true);
  const header: ScoresHeader = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  const { rows, classNames, split, hasPresence, groups } = header;
  let at = 4 + length;
  const next = (size: number) => {
    const part = bytes.slice(at, at + size);
    if (part.byteLength !== size) throw new Error('the table of scores is incomplete');
    at += size;
    return part;
  };
  const scores = new Float64Array(next(8 * rows * classNames.length));
  const presence = hasPresence ? new Float64Array(next(8 * rows)) : undefined;
  const codes = groups ? new Int32Array(next(4 * rows)) : undefined;
  const targets =
    header.targets === 'float64'
      ? new Float64Array(next(8 * rows * classNames.length))
      : Float64Array.from(new Int8Array(next(rows * classNames.length)), (value) =>
          value < 0 ? Number.NaN : value,
        );
  return {
    header,
    scored: {
      scores,
      targets,
      classNames,
      split,
      ...(presence && { presence }),
      ...(codes && groups && { groups: Array.from(codes, (code) => groups[code]!) }),
    },
  };
}
