// Files from servers other than the hub, each in its own folder named after the address and the hash:
//   weights/4f1c…/resnet18-f37072fd.pth          the file
//   weights/4f1c…/resnet18-f37072fd.pth.json     its address, and its hash when it was downloaded

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withSharedLock } from '@anyclass/files';
import { fileHash } from '@anyclass/files/downloads';
import { z } from 'zod';
import { UserError } from '../errors/userError.js';
import { parsedJson, writeWhole } from '../files/wholeFile.js';
import { knownHash } from './checkedFile.js';
import { type DownloadOptions, downloadOnce } from './download.js';
import { encryptedAddress } from './encryptedAddress.js';
import { type HubSettings, hubSettings } from './settings.js';

export interface AddressedFile {
  /** Its `https:` address. */
  readonly address: string;
  /** SHA-256, or its first digits if no more are known. */
  readonly sha256: string;
}

const record = z.object({ address: z.string(), sha256: z.string(), size: z.int() });

/** What is known about a downloaded file. */
export type AddressRecord = z.output<typeof record>;

/**
 * The path of a file from any server, verified by its hash. Downloads it unless it is in the cache.
 *
 * @example
 * await addressFile({ address: 'https://download.pytorch.org/models/resnet18-f37072fd.pth', sha256: 'f37072fd' })
 */
export async function addressFile(wanted: AddressedFile, options: DownloadOptions = {}): Promise<string> {
  const { settings = hubSettings() } = options;
  const { pathname } = encryptedAddress(wanted.address);
  const path = addressPath(settings, wanted);
  if (await isIntact(settings, wanted, options)) return path;
  if (settings.isOffline) {
    throw new UserError(
      `${wanted.address} is not in ${settings.addressCache}, and HF_HUB_OFFLINE is set; download it first, or unset the variable`,
    );
  }
  await downloadOnce({
    ...options,
    lock: `${path}.lock`,
    address: wanted.address,
    // Tokens are for the hub only.
    token: undefined,
    target: path,
    checksum: { algorithm: 'sha256', value: wanted.sha256 },
    size: undefined,
    title: pathname.split('/').at(-1) ?? wanted.address,
    keep: async (arrived) => {
      if (cachedAddressFile(settings, wanted)) return;
      // If nothing arrived, a kill came between the file and its record.
      const { hash, size } = arrived ?? {
        hash: await fileHash(path, { algorithm: 'sha256' }),
        size: statSync(path).size,
      };
      if (!hash.startsWith(wanted.sha256))
        throw new UserError(`${path} changed after it was downloaded; delete it`);
      writeWhole(recordPath(path), JSON.stringify({ address: wanted.address, sha256: hash, size }));
    },
  });
  return path;
}

/**
 * Whether a file is in the cache with the bytes that were downloaded. A damaged one is removed, so that it is
 * downloaded again.
 *
 * @throws UserError if it is damaged and nothing may be downloaded
 */
async function isIntact(
  settings: HubSettings,
  wanted: AddressedFile,
  { onEvent }: DownloadOptions,
): Promise<boolean> {
  const cached = cachedAddressFile(settings, wanted);
  if (!cached) return false;
  const { path, record } = cached;
  const found = await knownHash(settings, path, { algorithm: 'sha256' });
  if (found === record.sha256) return true;
  const problem = `${path} is damaged: its hash is ${found}; expected ${record.sha256}`;
  if (settings.isOffline) throw new UserError(`${problem}. Download it again without HF_HUB_OFFLINE`);
  onEvent?.({ type: 'note', text: `${problem}. It is downloaded again` });
  await withSharedLock(`${path}.lock`, () => {
    rmSync(path, { force: true });
    rmSync(recordPath(path), { force: true });
  });
  return false;
}

/** The path and record of a cached file; undefined if it is not in the cache. */
export function cachedAddressFile(
  settings: Pick<HubSettings, 'addressCache'>,
  wanted: AddressedFile,
): { readonly path: string; readonly record: AddressRecord } | undefined {
  const path = addressPath(settings, wanted);
  if (!existsSync(path)) return undefined;
  const known = existsSync(recordPath(path)) ? parsedJson(readFileSync(recordPath(path), 'utf8')) : undefined;
  const parsed = record.safeParse(known);
  return parsed.success && parsed.data.sha256.startsWith(wanted.sha256)
    ? { path, record: parsed.data }
    : undefined;
}

/** The path that a file from this address has, or would have. */
export function addressPath(
  { addressCache }: Pick<HubSettings, 'addressCache'>,
  { address, sha256 }: AddressedFile,
): string {
  const name =
    new URL(address).pathname
      .split('/')
      .at(-1)
      ?.replace(/[^\w.+-]/g, '_') || 'weights';
  return join(
    addressCache,
    createHash('sha256').update(`${address}#${sha256}`).digest('hex').slice(0, 16),
    name,
  );
}

export function recordPath(path: string): string {
  return `${path}.json`;
}
