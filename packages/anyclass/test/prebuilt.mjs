// Sets up from prebuilt libraries without a compiler: in a separate root with Node, the libraries to run
// libtorch, and the packed and installed packages, which are read-only.
//
//   npm run test:prebuilt                            against the system's libtorch
//   npm run test:prebuilt -- system /opt/libtorch    also against others, with a root for each

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lookForLibtorch } from '@anyclass/torch/setup';
import { fillRoot, runInRoot, whyNoRoot } from './emptyRoot.mjs';
import { installPackages, packPackages, run } from './installation.mjs';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const native = `@anyclass/native-${process.platform}-${process.arch}`;
/** A training that takes seconds. */
const tiny = {
  data: { dataset: 'digits', digits: { scenes: { train: 64, validation: 32, test: 32 } } },
  network: { name: 'tresnet-s', inputSize: 32 },
  epochs: 1,
};

const obstacle = whyNoRoot();
if (obstacle === undefined) test();
else console.log(`SKIPPED: ${obstacle}`);

function test() {
  const wanted = process.argv.slice(2);
  const libtorches = wanted.length > 0 ? wanted : ['system'];
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-prebuilt-'));
  try {
    const project = install(folder, libtorches);
    for (const libtorch of libtorches) {
      const problem = attempt(join(folder, 'roots', libtorch.replaceAll('/', '_')), project, libtorch);
      console.log(`${libtorch}: ${problem === '' ? 'ok' : `FAILED: ${problem}`}`);
      if (problem !== '') process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Packs the packages and the prebuilt libraries, and installs them in a project.
 *
 * @param {string} folder
 * @param {string[]} libtorches
 */
function install(folder, libtorches) {
  const out = join(folder, 'native');
  const packed = join(folder, 'archives');
  must(run([process.execPath, 'setup/prebuild.mjs', out, ...libtorches], checkout));
  const archives = packPackages(packed);
  must(run(['npm', 'pack', '--pack-destination', packed, out], folder));
  archives[native] = join(packed, readdirSync(packed).find((name) => name.includes('-native-')) ?? '');
  const project = join(folder, 'project');
  must(installPackages(project, archives));
  writeFileSync(join(project, 'tiny.json'), JSON.stringify(tiny));
  return project;
}

/**
 * @param {string} root
 * @param {string} project
 * @param {string} libtorch
 * @returns {string} what went wrong; '' if nothing did
 */
function attempt(root, project, libtorch) {
  const addons = listed(run(['find', join(project, 'node_modules/@img'), '-name', '*.node'], '/'));
  fillRoot(root, { files: [process.execPath, '/bin/sh', ...filesOf(libtorch)], loadedBy: addons });
  const environment = {
    ...{ HOME: '/home', ANYCLASS_HOME: undefined, XDG_CACHE_HOME: undefined },
    LIBTORCH: libtorch === 'system' ? undefined : libtorch,
  };
  let output = '';
  for (const words of [['setup'], ['train', 'tiny.json', '--run', '/tmp/run'], ['doctor']]) {
    const program = [process.execPath, 'node_modules/anyclass/bin/anyclass.js', ...words];
    const { status, stdout, stderr } = runInRoot(root, project, program, environment);
    if (status !== 0) return `anyclass ${words.join(' ')}: ${stdout}${stderr}`;
    output = stdout;
  }
  if (!output.includes(`built by  ${native}`)) return `not built by ${native}:\n${output}`;
  return existsSync(join(root, 'usr/bin/g++')) ? 'there is a compiler in the root' : '';
}

/**
 * The files that a machine needs to run a libtorch, without the headers to build against it.
 *
 * @param {string} libtorch
 */
function filesOf(libtorch) {
  if (libtorch === 'system') {
    const lib = lookForLibtorch().libtorch?.lib ?? '';
    const names = readdirSync(lib).filter((name) => /^(libtorch\w*|libc10|libjpeg)\.so\.\d/.test(name));
    return names.map((name) => join(lib, name));
  }
  // One header has its version; all others are left out.
  const found = run(['find', libtorch, '-path', '*/lib/*.so*', '-o', '-path', '*/include/*/version.h'], '/');
  return listed(found);
}

/** @param {import('./installation.mjs').Ending} ending */
function listed(ending) {
  must(ending);
  return ending.stdout.split('\n').filter((line) => line !== '');
}

/** @param {import('./installation.mjs').Ending} ending */
function must({ status, stdout, stderr }) {
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}
