import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import type { Quarantined } from '../../../events/runSummary.js';
import type { NameTable } from '../../dataset/nameTable.js';
import { MachineError, MissingImageError } from './storage.js';

/** The images that could not be used so far: listed and counted, never replaced by others. */
export interface Quarantine {
  /**
   * Adds an image. Throws instead with `strict`, and whenever the machine is at fault, as with unavailable
   * storage. Adding an image twice keeps one entry.
   */
  add(row: number, error: unknown): void;
  readonly size: number;
  list(): Quarantined[];
}

/**
 * Creates an empty quarantine.
 *
 * @example
 * const quarantine = createQuarantine(dataset.names, { strict: false });
 * quarantine.add(3, new Error('premature end of JPEG image'));
 * quarantine.list() // [{ row: 3, name: '00000003.png', reason: 'premature end of JPEG image' }]
 */
export function createQuarantine(names: NameTable, { strict }: { readonly strict: boolean }): Quarantine {
  const reasons = new Map<number, Omit<Quarantined, 'row' | 'name'>>();
  return {
    add(row, error) {
      if (error instanceof MachineError) throw error;
      const reason = reasonOf(error);
      if (strict) throw new DataError(`image '${names.at(row)}' (row ${row}): ${reason}`);
      reasons.set(row, { reason, ...(error instanceof MissingImageError && { missing: true }) });
    },
    get size() {
      return reasons.size;
    },
    list: () =>
      [...reasons].sort(([a], [b]) => a - b).map(([row, entry]) => ({ row, name: names.at(row), ...entry })),
  };
}
