// A self-contained HTML page: opened from disk, it needs no network. The kit has its look and behavior; `blocks` tables and
// charts with buttons to copy or save them.

import { createHash } from 'node:crypto';
import { escaped, kitScript, kitStyle } from '@anyclass/kit';

/**
 * What a browser may do with a page: run only its own script, show only embedded images, and make no
 * requests. So even a name in the data that slipped through as HTML could do no harm.
 */
const contentPolicy = `default-src 'none'; script-src ${ownScript()}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;

/** The script of every page, as a policy names it. */
export function ownScript(): string {
  return `'sha256-${createHash('sha256').update(kitScript).digest('base64')}'`;
}

/** A part of a page. */
export interface Section {
  /** The part of its address after #. */
  readonly name: string;
  readonly title: string;
  /** A shorter title for the contents; null leaves it out there. */
  readonly link?: string | null;
  /** Said beside the title. */
  readonly remark?: string;
  /** HTML beside the title, such as a switch. */
  readonly tools?: string;
  /** HTML. */
  readonly parts: readonly string[];
}

export interface PageContent {
  /** The kind of page and its name, such as 'runs' and 'sewer'. */
  readonly kind: string;
  readonly name: string;
  /** What it is about, in one faint line. */
  readonly about?: string;
  /** HTML before the sections: the verdict and the first answers. */
  readonly head: readonly string[];
  readonly sections: readonly Section[];
  /** CSS of this page alone. */
  readonly style?: string;
  /** Whether a server sends the page with its own policy. */
  readonly isServed?: boolean;
  /** The policy of a page that loads files beside it; default: it makes no requests. */
  readonly policy?: string;
}

/**
 * Returns a page in the project's look, light or dark like the reader's system, with a button to choose.
 *
 * @example
 * page({ kind: 'runs', name: 'sewer', head: [verdict(…)], sections: [] })
 */
export function page(content: PageContent): string {
  const { kind, name, about, head, sections, style = '', isServed = false } = content;
  const { policy = contentPolicy } = content;
  const links = sections.flatMap(({ name: anchor, title, link = title }) =>
    link === null ? [] : [`<a href="#${anchor}">${escaped(link)}</a>`],
  );
  const line = about === undefined ? '' : `<span class="about small faint">${escaped(about)}</span>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${isServed ? '' : `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`}<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escaped(`${name}, ${kind}`)}</title>
<style>${kitStyle}${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the verdict</a>
<div class="page">
<header class="bar"><span class="crumb"><span>${escaped(kind)} /</span> <bdi>${escaped(name)}</bdi></span>${line}<nav aria-label="Contents">${links.join('')}<button id="theme" class="button quiet-button" type="button" hidden>Theme: system</button></nav></header>
<main id="main">
${head.join('\n')}
${sections.map(sectionBlock).join('\n')}
</main>
</div>
<div id="mark" role="status" hidden></div>
<script>${kitScript}</script>
</body>
</html>
`;
}

function sectionBlock({ name, title, remark, tools = '', parts }: Section): string {
  const small = remark === undefined ? '' : `<span class="quiet">${escaped(remark)}</span>`;
  return `<section id="${name}">
<header><h2>${escaped(title)}</h2>${small}${tools === '' ? '' : `<div class="tools">${tools}</div>`}</header>
${parts.join('\n')}
</section>`;
}
