import { DataError } from '../../../errors/dataError.js';

/** Limits the memory of decompressed pages, before it is taken: a few bytes can stand for a billion values. */
export interface PageRoom {
  /** Claims bytes for what `holder` reads next, and gives back those that it held. @throws DataError if there is no room */
  replace(holder: object, bytes: number): void;
  /** Claims more bytes for `holder`. @throws DataError if there is no room */
  add(holder: object, bytes: number): void;
}

/** Of all columns that are read together. Writers begin a new page after about a mebibyte. */
const mostBytes = 2 ** 30;

/**
 * Creates the room for the pages of a row group.
 *
 * @example
 * const room = createPageRoom();
 * room.replace(column, 2 ** 20);
 */
export function createPageRoom(most = mostBytes): PageRoom {
  const held = new Map<object, number>();
  let total = 0;
  const claim = (holder: object, bytes: number) => {
    const before = held.get(holder) ?? 0;
    if (total + bytes - before > most) {
      throw new DataError(
        `its pages take more than ${most} bytes when they are decompressed; write the file in smaller row groups (pyarrow: row_group_size=100_000)`,
      );
    }
    total += bytes - before;
    held.set(holder, bytes);
  };
  return {
    replace: claim,
    add: (holder, bytes) => claim(holder, (held.get(holder) ?? 0) + bytes),
  };
}
