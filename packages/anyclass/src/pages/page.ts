// A self-contained HTML page: opened from disk, it needs no network. `blocks` has its content; `palette`,
// `style` and `script` its look and behavior.

import { createHash } from 'node:crypto';
import { paletteStyle } from '../charts/palette.js';
import { escaped } from '../tables/escaped.js';
import { pageScript } from './script.js';
import { pageStyle } from './style.js';

/**
 * What a browser may do with a page: run only its own script, show only embedded images, and make no
 * requests. So even a name in the data that slipped through as HTML could do no harm.
 */
const contentPolicy = `default-src 'none'; script-src 'sha256-${createHash('sha256').update(pageScript).digest('base64')}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;

/** A part of a page that is listed in its contents. */
export interface Section {
  /** The part of its address after #. */
  readonly name: string;
  readonly title: string;
  /** HTML. */
  readonly parts: readonly string[];
}

export interface PageOptions {
  /** Whether a server sends the page with its own policy. */
  readonly isServed?: boolean;
}

/**
 * Returns a page in the project's look, light or dark like the reader's system, with a button to choose.
 *
 * @example
 * page('runs/sewer', [`<p>${escaped('7 < 9')}</p>`])
 */
export function page(
  title: string,
  parts: readonly string[],
  { isServed = false }: PageOptions = {},
): string {
  const policy = `<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">\n`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
${isServed ? '' : policy}<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escaped(title)}</title>
<style>${paletteStyle()}${pageStyle}</style>
<button id="theme" type="button" hidden>Theme: system</button>
<main>
<h1>${escaped(title)}</h1>
${parts.join('\n')}
</main>
<div id="mark" role="status" hidden></div>
<script>${pageScript}</script>
</html>
`;
}

/** Returns a list of links to the sections, followed by the sections. */
export function sections(list: readonly Section[]): string[] {
  const links = list.map(({ name, title }) => `<a href="#${name}">${escaped(title)}</a>`);
  return [
    `<nav aria-label="Contents">${links.join(' ')}</nav>`,
    ...list.map(
      ({ name, title, parts }) =>
        `<section id="${name}">\n<h2>${escaped(title)}</h2>\n${parts.join('\n')}\n</section>`,
    ),
  ];
}

/** Returns a remark in faint print. */
export function note(text: string): string {
  return `<p class="note">${escaped(text)}</p>`;
}
