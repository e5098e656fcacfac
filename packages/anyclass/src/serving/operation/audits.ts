// Audits: a coin is thrown for every image, alarm or not, and those drawn are to be labeled, so that `monitor` can tell whether
// the promise holds. The coin is independent of the image and of the answer, which is what makes the drawn ones a fair sample.

import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { partialPath } from '@anyclass/files';
import { reasonOf } from '../../errors/reasonOf.js';
import { UserError } from '../../errors/userError.js';
import type { Log } from './log.js';

export interface Audits {
  /** The probability with which an image is drawn. */
  readonly q: number;
  /** Throws the coin. */
  draw(): boolean;
  /** Keeps an image that was drawn, if images are kept. */
  keep(sha256: string, bytes: Uint8Array): void;
  /** Waits until all images are kept. */
  close(): Promise<void>;
}

/** Kept images take at most this many bytes; then no more are kept, which is logged once. */
const mostBytes = 2 ** 30;

/**
 * Creates the coin, and the folder for drawn images if one is given. Images are named by their SHA-256, so that a
 * client's names never become paths, and are written whole or not at all.
 *
 * @example
 * const audits = createAudits(0.02, 'audited', log);
 */
export function createAudits(q: number, folder: string | undefined, log: Log): Audits {
  const draw = () => randomInt(2 ** 32) < q * 2 ** 32;
  if (folder === undefined) return { q, draw, keep: () => {}, close: async () => {} };
  let bytesKept = kept(folder);
  let isFull = false;
  const pending = new Set<Promise<void>>();
  const keep = (sha256: string, bytes: Uint8Array) => {
    if (isFull) return;
    if (bytesKept + bytes.length > mostBytes) {
      isFull = true;
      log.warn('audited images are no longer kept: the folder has 1 GiB', { folder });
      return;
    }
    bytesKept += bytes.length;
    const saved = save(folder, sha256, bytes)
      .catch((error: unknown) =>
        log.error('an audited image cannot be kept', { folder, reason: reasonOf(error) }),
      )
      .finally(() => pending.delete(saved));
    pending.add(saved);
  };
  return {
    q,
    draw,
    keep,
    async close() {
      await Promise.all(pending);
    },
  };
}

/** The bytes of the images that an earlier server kept. */
function kept(folder: string): number {
  try {
    mkdirSync(folder, { recursive: true });
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch (error) {
    throw new UserError(`keepAudited: ${folder}: ${reasonOf(error)}`);
  }
}

async function save(folder: string, sha256: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, sha256);
  const draft = partialPath(path);
  try {
    await writeFile(draft, bytes);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
