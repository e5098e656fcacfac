// Fills in the hashes in packages/torch/setup/archives.json: downloads each archive without a hash, and writes the hash of what
// it downloaded. For maintainers with a good connection; compare with what pytorch.org publishes before committing.
//
//   npm run pin                        every archive without a hash
//   npm run pin -- linux-x64 cpu       only that one, again

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './shell.mjs';

const address = process.env['LIBTORCH_MIRROR'] ?? 'https://download.pytorch.org/libtorch/';
const file = process.env['ARCHIVES'] ?? join(root, 'packages/torch/setup/archives.json');
const [platform, variant] = process.argv.slice(2);

/** @type {{ platform: string, variant: string, path: string, sha256: string | null }[]} */
const archives = JSON.parse(readFileSync(file, 'utf8'));
for (const archive of archives) {
  const isWanted =
    platform === undefined
      ? archive.sha256 === null
      : archive.platform === platform && (variant === undefined || archive.variant === variant);
  if (!isWanted) continue;
  const response = await fetch(new URL(archive.path, address));
  if (!response.ok || !response.body) {
    console.error(`${response.url}: the server answered ${response.status}`);
    process.exitCode = 1;
    continue;
  }
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of response.body) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  const length = Number(response.headers.get('content-length') ?? bytes);
  if (bytes !== length) throw new Error(`${response.url}: received ${bytes} of ${length} bytes`);
  archive.sha256 = hash.digest('hex');
  console.log(`${archive.sha256}  ${archive.path} (${bytes} bytes)`);
  writeFileSync(file, `${JSON.stringify(archives, null, 2)}\n`);
}
