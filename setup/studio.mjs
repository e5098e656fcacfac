// Builds the page of Studio into packages/studio/dist/page: the script in parts that are loaded when needed, the worker, the sheet and the
// licenses of what it is made of. Names have a hash of their contents.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageLicenses } from './licenses.mjs';
import { root } from './shell.mjs';

const sources = join(root, 'packages/studio/src');
const page = join(root, 'packages/studio/dist/page');
const kit = join(root, 'packages/kit/dist/index.js');

/** Builds the page, unless it is newer than its sources. */
export async function buildStudio() {
  const modified = (/** @type {string} */ file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const made = modified(join(page, 'index.html'));
  const own = readdirSync(sources, { recursive: true, encoding: 'utf8' }).map((name) => join(sources, name));
  const others = ['core', 'kit'].map((name) => join(root, `packages/${name}/dist/.tsbuildinfo`));
  const setup = ['studio.mjs', 'licenses.mjs'].map((name) => join(root, 'setup', name));
  const installed = join(root, 'node_modules/.anyclass-setup');
  if (Math.max(...[...own, ...others, ...setup, installed].map(modified)) < made) return;
  await write();
}

async function write() {
  const { build } = await import('esbuild');
  const draft = `${page}.${process.pid}.part`;
  /** @type {import('esbuild').BuildOptions} */
  const options = {
    outdir: draft,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
    conditions: ['@anyclass/source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
  };
  const workers = await build({
    ...options,
    entryPoints: readdirSync(join(sources, 'workers')).map((name) => join(sources, 'workers', name)),
    metafile: true,
  });
  const main = await build({
    ...options,
    entryPoints: [join(sources, 'main.tsx')],
    splitting: true,
    define: { WORKERS: JSON.stringify(addressesOf(workers.metafile)) },
    metafile: true,
  });
  const inputs = [workers, main].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const { kitStyle } = await import(pathToFileURL(kit).href);
  const uplot = readFileSync(join(root, 'node_modules/uplot/dist/uPlot.min.css'), 'utf8');
  // That of the whole page first; views have their own.
  const own = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.css') && name !== 'studio.css')
    .sort();
  const sheets = ['studio.css', ...own].map((name) => readFileSync(join(sources, name), 'utf8'));
  const style = [kitStyle, uplot, ...sheets].join('\n');
  const html = readFileSync(join(sources, 'index.html'), 'utf8')
    .replace('/page/SCRIPT', addressesOf(main.metafile)['main'] ?? '')
    .replace('STYLE', named('style.css', style));
  writeFileSync(join(draft, named('style.css', style)), style);
  writeFileSync(join(draft, 'licenses.txt'), packageLicenses(inputs.map((file) => join(root, file))));
  writeFileSync(join(draft, 'index.html'), html);
  mkdirSync(page, { recursive: true });
  const written = readdirSync(draft);
  // The page last: it names the others.
  for (const name of written.filter((each) => each !== 'index.html'))
    renameSync(join(draft, name), join(page, name));
  renameSync(join(draft, 'index.html'), join(page, 'index.html'));
  rmSync(draft, { recursive: true });
  for (const name of readdirSync(page)) if (!written.includes(name)) rmSync(join(page, name));
}

/**
 * @param {string} name
 * @param {string | Buffer} text
 */
function named(name, text) {
  const [stem, ending] = name.split('.');
  return `${stem}-${createHash('sha256').update(text).digest('hex').slice(0, 10)}.${ending}`;
}

/**
 * The addresses of the scripts that were built, by the names of their sources.
 *
 * @param {import('esbuild').Metafile} metafile
 * @returns {Record<string, string>}
 */
function addressesOf({ outputs }) {
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
      // Views are entry points too, since they are loaded when needed.
      entryPoint === undefined
        ? []
        : [[basename(entryPoint).replace(/\.tsx?$/, ''), `/page/${basename(path)}`]],
    ),
  );
}

if (process.argv[1] === import.meta.filename) await buildStudio();
