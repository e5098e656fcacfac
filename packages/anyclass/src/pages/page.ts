// An HTML page that needs nothing beside it: opened from disk, it asks no network for anything. `blocks` are what stands in
// it; `palette`, `style` and `script` how it looks and what it does.

import { paletteStyle } from '../charts/palette.js';
import { escaped } from '../tables/escaped.js';
import { pageScript } from './script.js';
import { pageStyle } from './style.js';

/** A part of a page that its contents list. */
export interface Section {
  /** What follows # in its address. */
  readonly name: string;
  readonly title: string;
  /** HTML. */
  readonly parts: readonly string[];
}

/**
 * A page in the project's look, light or dark as the reader's system is, with a button to choose.
 *
 * @example
 * page('runs/sewer', [`<p>${escaped('7 < 9')}</p>`])
 */
export function page(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
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

/** Sections below a list of links to them. */
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

/** A remark in small print. */
export function note(text: string): string {
  return `<p class="note">${escaped(text)}</p>`;
}
