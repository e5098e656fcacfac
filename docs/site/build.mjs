// Builds the documentation as a folder that opens without a server: `npm run docs`, then open build/docs/index.html.
//
// Pages are the project's own Markdown files; TypeDoc writes the API reference, and the example pages are made by the product itself
// (a few minutes on two cores the first time; `--without examples` or `--without reference` leaves them out, `--out DIR` writes elsewhere). Every link is checked.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, normalize, relative } from 'node:path';
import markdownIt from 'markdown-it';
import { exampleDescriptions, makeExamples } from './examples.mjs';
import { layout } from './layout.mjs';
import { brokenLinks } from './links.mjs';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const given = (option) => process.argv.flatMap((word, i, words) => (words[i - 1] === option ? [word] : []));
const without = given('--without');
const [out = join(root, 'build/docs')] = given('--out');

/** Which file becomes which page. */
const pages = new Map([
  ['README.md', 'index.html'],
  ['docs/README.md', 'contents.html'],
  ['CONTRIBUTING.md', 'contributing.html'],
  ['CHANGELOG.md', 'changelog.html'],
  ['bench/RESULTS.md', 'benchmarks.html'],
  ['examples/README.md', 'examples.html'],
]);

const sections = navigation(readFileSync(join(root, 'docs/README.md'), 'utf8'));
for (const { links } of sections) {
  for (const { path } of links)
    if (!pages.has(path)) pages.set(path, path.replace(/^docs\//, '').replace(/\.md$/, '.html'));
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const copied = new Set();
const found = [];
for (const [path, name] of pages) {
  const { html, title, entries } = rendered(path);
  for (const entry of entries) found.push({ ...entry, page: title, href: `${name}${entry.anchor}` });
  writeFileSync(
    join(out, name),
    layout({ title, html, name, sections: siteNavigation(), headings: entries }),
  );
}
cpSync(join(dirname(require.resolve('minisearch')), '../umd/index.js'), join(out, 'minisearch.js'));
writeFileSync(join(out, 'search.js'), `var searchEntries = ${JSON.stringify(found)};\n`);

if (!without.includes('reference')) {
  const reference = createRequire(join(root, 'docs/reference/package.json'));
  const typedoc = join(dirname(reference.resolve('typedoc')), '../bin/typedoc');
  const options = ['--options', join(root, 'docs/reference/typedoc.json'), '--out', join(out, 'reference')];
  execFileSync(process.execPath, [typedoc, ...options], { stdio: 'inherit' });
}
if (!without.includes('examples')) makeExamples(root, out);

const broken = brokenLinks(out);
if (broken.length > 0) {
  console.error(`Broken links:\n${broken.map((link) => `  ${link}`).join('\n')}`);
  process.exitCode = 1;
}
console.log(`${pages.size} pages; open ${relative(process.cwd(), join(out, 'index.html'))}`);

/** The contents as sections of links: `**Title:** [name](path) · …` in docs/README.md. */
function navigation(text) {
  return text.split('\n\n').flatMap((part) => {
    const [, title] = /^\*\*(.+?):\*\*/.exec(part) ?? [];
    if (title === undefined) return [];
    const links = [...part.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)].map(([, name, to]) => ({
      name,
      path: normalize(join('docs', to)),
    }));
    return [{ title, links }];
  });
}

function siteNavigation() {
  const own = sections.map(({ title, links }) => ({
    title,
    links: links.map(({ name, path }) => ({ name, href: pages.get(path) })),
  }));
  const made = [
    ...(without.includes('examples') ? [] : exampleDescriptions.map(({ name, href }) => ({ name, href }))),
    ...(without.includes('reference') ? [] : [{ name: 'API reference', href: 'reference/index.html' }]),
    { name: 'changelog', href: 'changelog.html' },
  ];
  return [
    { title: 'anyclass', links: [{ name: 'what it does', href: 'index.html' }] },
    ...own,
    { title: 'Pages and API', links: made },
  ];
}

/** A Markdown file as HTML with headings that can be linked to, and its parts for the search. */
function rendered(path) {
  const markdown = markdownIt({ html: true, linkify: false });
  const tokens = markdown.parse(readFileSync(join(root, path), 'utf8'), {});
  const anchors = new Map();
  const entries = [];
  let title = path;
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const text = plain(tokens[i + 1]);
      const base = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-');
      const count = anchors.get(base) ?? 0;
      anchors.set(base, count + 1);
      const anchor = count === 0 ? base : `${base}-${count}`;
      token.attrSet('id', anchor);
      if (token.tag === 'h1') title = text;
      entries.push({
        anchor: token.tag === 'h1' ? '' : `#${anchor}`,
        title: text,
        level: Number(token.tag.slice(1)),
        text: '',
      });
    } else if (token.type === 'inline' && tokens[i - 1]?.type !== 'heading_open') {
      const last = entries.at(-1);
      if (last) last.text += `${plain(token)} `;
    } else if (token.type === 'fence' && entries.length > 0) entries.at(-1).text += `${token.content} `;
    for (const child of token.children ?? []) relink(child, path);
  }
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll(/<(img|a)([^>]*?) (src|href)="([^"]+)"/g, (whole, tag, before, name, to) => {
      return before.includes('data-done') ? whole : `<${tag}${before} ${name}="${siteAddress(to, path)}"`;
    });
  const focusable = html
    .replaceAll(' data-done=""', '')
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    // Commands have a button that copies them, as on every other page.
    .replaceAll(
      /<pre>(<code(?: class="language-(\w+)")?>([\s\S]*?)<\/code>)<\/pre>/g,
      (whole, code, language, text) =>
        language === 'bash' || (language === undefined && /^(anyclass|npx|npm|node|bash|curl) /.test(text))
          ? `<div class="command"><pre tabindex="0">${code}</pre><button class="button" type="button" data-act="copy-command">Copy</button></div>`
          : whole,
    )
    .replaceAll('<pre>', '<pre tabindex="0">');
  return {
    html: focusable,
    title,
    entries,
  };
}

function plain(token) {
  return (token.children ?? []).map(({ content, type }) => (type === 'softbreak' ? ' ' : content)).join('');
}

/** Marks Markdown's own links as done, so that only those in HTML are left. */
function relink(child, path) {
  for (const name of ['href', 'src']) {
    const to = child.attrGet(name);
    if (to === null) continue;
    child.attrSet(name, siteAddress(to, path));
    child.attrs.unshift(['data-done', '']);
  }
}

/** Where a link of a Markdown file leads in the site: to a page, or to a copy of the file. */
function siteAddress(to, path) {
  if (/^(https?:|mailto:|#|data:)/.test(to)) return to;
  const [file, anchor] = to.split('#');
  const target = normalize(join(dirname(path), file)).replace(/\/$/, '');
  const page = pages.get(target) ?? pages.get(join(target, 'README.md'));
  if (page !== undefined) return anchor === undefined ? page : `${page}#${anchor}`;
  const copy = `files/${target}`;
  if (!copied.has(copy) && existsSync(join(root, target))) {
    mkdirSync(dirname(join(out, copy)), { recursive: true });
    cpSync(join(root, target), join(out, copy), {
      recursive: true,
      filter: (one) => !/node_modules|\/dist$/.test(one),
    });
    copied.add(copy);
  }
  return copy;
}
