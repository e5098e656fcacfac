import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// Packing writes the page here, so an installed package needs no bundler. A checkout does not have it and
// builds it from its sources, so it is never outdated.
const packed = fileURLToPath(new URL('../../dist/playground/playground.html', import.meta.url));

/** Returns the whole page as self-contained HTML. */
export async function playgroundPage(): Promise<string> {
  if (existsSync(packed)) return readFile(packed, 'utf8');
  const { buildPage } = await import('./buildPage.js');
  return buildPage();
}
