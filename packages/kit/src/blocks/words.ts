// Small blocks of text.

import type { Outcome } from '../colors.js';
import { escaped, unbroken } from '../escaped.js';

/** A label with a color: '✓ Keeps its promise'. */
export interface Tag {
  readonly tone: Outcome;
  readonly text: string;
}

export interface VerdictOptions {
  readonly tags: readonly Tag[];
  /** The answer, in one sentence. */
  readonly headline: string;
  /** HTML of a sentence or two. */
  readonly text: string;
  /** HTML beside it, such as a comparison. */
  readonly beside?: string;
}

/** Returns the head of a page: its answer before everything else. Its title for screen readers names the panels that follow. */
export function verdict({ tags, headline, text, beside }: VerdictOptions): string {
  const marks = tags.map(({ tone, text: words }) => `<span class="tag ${tone}">${escaped(words)}</span>`);
  const side = beside === undefined ? '' : `<div>${beside}</div>`;
  return `<div class="verdict"><div>${marks.join(' ')}<h1>${unbroken(headline)}</h1><p class="quiet prose">${text}</p></div>${side}</div><h2 class="hidden-text">At a glance</h2>`;
}

/** Returns a titled part of a row of columns; `body` is HTML. */
export function panel(title: string, remark: string, body: string): string {
  const small = remark === '' ? '' : ` <small>${escaped(remark)}</small>`;
  return `<div class="panel"><h3>${escaped(title)}${small}</h3>${body}</div>`;
}

/** Returns names with their values; values are HTML. */
export function facts(list: readonly (readonly [name: string, html: string])[]): string {
  return `<dl class="facts">${list.map(([name, html]) => `<dt>${escaped(name)}</dt><dd>${html}</dd>`).join('')}</dl>`;
}

/** Returns a command or a file's text, with a button that copies it. */
export function command(text: string): string {
  return `<div class="command"><pre>${escaped(text)}</pre><button class="button" type="button" data-act="copy-command">Copy</button></div>`;
}

/** Returns a remark in small print. */
export function note(text: string): string {
  return `<p class="note">${escaped(text)}</p>`;
}

/** Returns a part that is folded until a reader opens it; printed open. */
export function folded(title: string, remark: string, body: string, isOpen = false): string {
  const small = remark === '' ? '' : ` <small>${escaped(remark)}</small>`;
  return `<details${isOpen ? ' open' : ''}><summary>${escaped(title)}${small}</summary>${body}</details>`;
}
