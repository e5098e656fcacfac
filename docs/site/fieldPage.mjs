// The page of `anyclass monitor` for the pictures: a server's own log of the photos, with their true labels.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sends every photo to the server, labels what it drew, and returns the path of the page. */
export async function monitoredPage(anyclass, { url }, folder, negatives) {
  const photos = join(folder, 'photos');
  for (const name of readdirSync(photos)) {
    const form = new FormData();
    form.append('image', new Blob([readFileSync(join(photos, name))], { type: 'image/png' }), name);
    const answer = await fetch(new URL('v1/predict', url), { method: 'POST', body: form });
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
  }
  const log = readFileSync(join(folder, 'predictions.jsonl'), 'utf8').trim().split('\n');
  const rows = log
    .map((line) => JSON.parse(line))
    .map(({ id, name }) => `${id},${negatives.has(name) ? 1 : 0}`);
  writeFileSync(join(folder, 'labels.csv'), `id,negative\n${rows.join('\n')}\n`);
  anyclass('monitor', 'predictions.jsonl', 'labels.csv', '--html', 'field.html', '--run', 'runs/digits');
  return join(folder, 'field.html');
}
