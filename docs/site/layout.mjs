// The frame of a documentation page: navigation, the page's headings, search. It has the look of all other pages.

import { escaped, kitScript, kitStyle } from '@anyclass/kit';

/**
 * Returns a page as HTML.
 *
 * @param content `html` of the page, its file `name`, the site's `sections` and the page's own `headings`
 */
export function layout({ title, html, name, sections, headings }) {
  const links = sections
    .map(
      (section) =>
        `<h2>${escaped(section.title)}</h2><ul>${section.links
          .map(
            ({ name: text, href }) =>
              `<li><a href="${escaped(href)}"${href === name ? ' aria-current="page"' : ''}>${escaped(text)}</a></li>`,
          )
          .join('')}</ul>`,
    )
    .join('');
  const own = headings
    .filter(({ level }) => level === 2)
    .map(({ anchor, title: text }) => `<li><a href="${escaped(anchor)}">${escaped(text)}</a></li>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escaped(title)} · anyclass</title>
<style>${kitStyle}${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top"><a class="home" href="index.html">anyclass</a>
<form id="search-form" role="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><ul id="found" hidden></ul></form>
<button id="theme" class="button quiet-button" type="button" hidden>Theme: system</button></header>
<div class="site">
<details class="nav" open><summary>Contents</summary><nav aria-label="Documentation">${links}</nav></details>
<main id="main" class="doc">${html}</main>
<nav class="own" aria-label="On this page">${own === '' ? '' : `<h2>On this page</h2><ul>${own}</ul>`}</nav>
</div>
<div id="mark" role="status" hidden></div>
<script src="minisearch.js"></script><script src="search.js"></script><script>${kitScript}${searchScript}</script>
</body>
</html>
`;
}

const style = `
body { margin: 0; } .top { position: sticky; top: 0; z-index: 2; display: flex; gap: 16px; align-items: center; padding: 8px 24px; background: var(--page); border-bottom: 1px solid var(--rule); }
.home { font-weight: 700; color: var(--ink); text-decoration: none; } #search-form { position: relative; margin-left: auto; }
#search { font: inherit; width: min(320px, 46vw); padding: 4px 10px; color: var(--ink); background: var(--sunk); border: 1px solid var(--rule-strong); border-radius: 6px; }
#found { position: absolute; right: 0; top: 36px; width: min(460px, 92vw); max-height: 70vh; overflow: auto; margin: 0; padding: 6px; list-style: none; background: var(--page); border: 1px solid var(--rule-strong); border-radius: 8px; box-shadow: 0 8px 24px #0003; }
#found a { display: block; padding: 6px 8px; color: var(--ink); text-decoration: none; border-radius: 4px; } #found a:hover, #found a:focus { background: var(--accent-soft); } #found .nothing { padding: 6px 8px; color: var(--ink-2); } #found small { display: block; color: var(--ink-2); }
.site { display: grid; grid-template-columns: 220px minmax(0, 1fr) 200px; gap: 40px; max-width: 1360px; margin: 0 auto; padding: 20px 24px 80px; }
.nav summary { display: none; } .nav nav, .own { position: sticky; top: 64px; max-height: calc(100vh - 90px); overflow: auto; font-size: 14px; }
.nav h2, .own h2 { font-size: 12px; color: var(--ink-2); margin: 16px 0 4px; border: 0; padding: 0; } .nav ul, .own ul { list-style: none; margin: 0; padding: 0; } .nav li, .own li { margin: 3px 0; }
.nav a, .own a { color: var(--ink-2); text-decoration: none; } .nav a:hover, .own a:hover { color: var(--accent); } .nav a[aria-current] { color: var(--accent); font-weight: 600; }
.doc { max-width: 800px; line-height: 1.6; } .doc h1 { margin: 0 0 12px; } .doc h2 { margin: 32px 0 8px; scroll-margin-top: 64px; } .doc h3 { margin: 22px 0 6px; scroll-margin-top: 64px; } .doc p, .doc ul, .doc ol, .doc pre, .doc .scroll { margin: 0 0 14px; } .doc ul, .doc ol { padding-left: 22px; } .doc li { margin: 3px 0; }
.doc pre { background: var(--sunk); padding: 12px 14px; border-radius: 6px; overflow: auto; font-size: 13px; line-height: 1.5; } .doc :not(pre) > code { background: var(--sunk); padding: 1px 5px; border-radius: 4px; font-size: .9em; overflow-wrap: anywhere; }
.doc .command { margin: 0 0 14px; padding: 8px 12px 8px 0; } .doc .command pre { margin: 0; padding: 4px 0 4px 14px; white-space: pre; overflow-wrap: normal; }
.doc a { text-decoration: underline; } .doc img { max-width: 100%; height: auto; border-radius: 6px; } .doc .scroll { overflow-x: auto; } .doc td:first-child code { overflow-wrap: normal; white-space: nowrap; } .doc td, .doc th { white-space: normal; min-width: 5em; }
.doc h2 { border-bottom: 1px solid var(--rule); padding-bottom: 4px; }
@media (max-width: 1100px) { .site { grid-template-columns: 200px minmax(0, 1fr); gap: 28px; } .own { display: none; } }
@media (max-width: 760px) { .site { grid-template-columns: minmax(0, 1fr); padding: 12px 16px 60px; gap: 8px; } .nav summary { display: block; cursor: pointer; padding: 6px 0; color: var(--ink-2); } .nav nav { position: static; max-height: none; } .top { padding: 8px 16px; gap: 10px; } .top .button { white-space: nowrap; } #search { width: 44vw; } #search-form { position: static; } #found { left: 16px; right: 16px; top: 44px; width: auto; } .doc td:first-child code { white-space: normal; word-break: normal; overflow-wrap: break-word; } .doc td, .doc th { min-width: 6.5em; } }
@media print { .top, .nav, .own { display: none; } .site { display: block; } }
`;

const searchScript = `
const field = document.getElementById('search');
const list = document.getElementById('found');
if (matchMedia('(max-width: 760px)').matches) document.querySelector('.nav').open = false;
const index = new MiniSearch({ fields: ['title', 'text', 'page'], storeFields: ['title', 'page', 'href'], searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' } });
index.addAll(searchEntries.map((entry, id) => ({ id, ...entry })));
field.addEventListener('input', () => {
  const hits = field.value.trim() === '' ? [] : index.search(field.value).slice(0, 12);
  list.replaceChildren(...hits.map(({ title, page, href }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = href;
    link.textContent = title;
    const small = document.createElement('small');
    small.textContent = page;
    link.append(small);
    item.append(link);
    return item;
  }));
  if (hits.length === 0) {
    const nothing = document.createElement('li');
    nothing.className = 'nothing';
    nothing.textContent = 'Nothing found';
    list.append(nothing);
  }
  list.hidden = field.value.trim() === '';
});
document.getElementById('search-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const [first] = list.querySelectorAll('a');
  if (first) location.href = first.href;
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== field) { event.preventDefault(); field.focus(); }
  if (event.key === 'Escape') list.hidden = true;
});
list.addEventListener('click', () => { list.hidden = true; });
`;
