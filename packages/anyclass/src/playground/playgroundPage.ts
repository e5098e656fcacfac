import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// Packing puts the page here. A checkout has none and builds it from the sources that are there, so it is never old;
// an installed package needs no bundler.
const packed = fileURLToPath(new URL('../../dist/playground/playground.html', import.meta.url));

/** The whole page as HTML that asks for no other file. */
export async function playgroundPage(): Promise<string> {
  if (existsSync(packed)) return readFile(packed, 'utf8');
  const { buildPage } = await import('./buildPage.js');
  return buildPage();
}
