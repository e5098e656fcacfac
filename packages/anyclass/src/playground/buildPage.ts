// Builds the page as one file: its style and its script, with the parts of core that it uses, are inlined in
// the HTML.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../pages/bundle.js';

// This path is right from src, dist and the bundle.
const sources = fileURLToPath(new URL('../../src/playground/page', import.meta.url));

export async function buildPage(): Promise<string> {
  const [html, style, script] = await Promise.all([
    readFile(join(sources, 'index.html'), 'utf8'),
    bundle(join(sources, 'style.css')),
    bundle(join(sources, 'main.ts')),
  ]);
  const hash = createHash('sha256').update(script).digest('base64');
  return html
    .replace("script-src 'unsafe-inline'", `script-src 'sha256-${hash}'`)
    .replace('<link rel="stylesheet" href="style.css">', () => `<style>${style}</style>`)
    .replace(
      '<script type="module" src="main.ts"></script>',
      () => `<script type="module">${script}</script>`,
    );
}
