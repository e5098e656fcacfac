// Checks cached files against their hashes before they are used. A file is hashed once; after that, its size and
// time show whether it is still the same one.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Checksum, fileHash } from '@anyclass/files/downloads';
import { z } from 'zod';
import { parsedJson, writeWhole } from '../files/wholeFile.js';
import type { HubSettings } from './settings.js';

const record = z.object({
  size: z.number(),
  changed: z.number(),
  algorithm: z.enum(['sha256', 'git']),
  hash: z.string(),
});

type CheckedRecord = z.output<typeof record>;

/** What a file hashes to; known without reading it if it is unchanged since it was last hashed. */
export async function knownHash(
  settings: Pick<HubSettings, 'addressCache'>,
  path: string,
  { algorithm }: Pick<Checksum, 'algorithm'>,
): Promise<string> {
  const file = realpathSync(path);
  const place = recordPlace(settings, file);
  const { size, mtimeMs: changed } = statSync(file);
  const known = readRecord(place);
  const isSame = known?.size === size && known.changed === changed && known.algorithm === algorithm;
  if (isSame) return known.hash;
  const hash = await fileHash(file, { algorithm });
  const fresh: CheckedRecord = { size, changed, algorithm, hash };
  keepRecord(place, fresh);
  return hash;
}

function recordPlace({ addressCache }: Pick<HubSettings, 'addressCache'>, file: string): string {
  const name = createHash('sha256').update(file).digest('hex').slice(0, 32);
  return join(dirname(addressCache), 'checked', `${name}.json`);
}

function readRecord(place: string): CheckedRecord | undefined {
  try {
    return record.safeParse(parsedJson(readFileSync(place, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Where nothing can be written, the file is hashed each time. */
function keepRecord(place: string, content: CheckedRecord): void {
  try {
    mkdirSync(dirname(place), { recursive: true });
    writeWhole(place, JSON.stringify(content));
  } catch {
    // Read-only caches are common in containers.
  }
}
