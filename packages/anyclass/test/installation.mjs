// Packs the packages and installs them in an empty folder outside the checkout, as a user
// would from the registry.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** The folder of each package that a user of anyclass gets from this checkout: anyclass and what it depends on. */
const folders = neededBy('anyclass');
export const packageNames = [...folders.keys()];

/**
 * @typedef {object} Ending
 * @property {number | null} status
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Packs the checkout's built packages.
 *
 * @param {string} folder where the archives go
 * @returns {Record<string, string>} the archive of each package
 */
export function packPackages(folder) {
  mkdirSync(folder, { recursive: true });
  const workspaces = [...folders.values()].flatMap((path) => ['-w', path]);
  const packed = run(['npm', 'pack', '--pack-destination', folder, ...workspaces], checkout);
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stdout}${packed.stderr}`);
  const files = readdirSync(folder);
  return Object.fromEntries(
    packageNames.map((name) => {
      const stem = name.replace('@', '').replace('/', '-');
      const file = files.find((candidate) => new RegExp(`^${stem}-\\d.*\\.tgz$`).test(candidate));
      return [name, join(folder, file ?? '')];
    }),
  );
}

/**
 * Creates a project that depends on the archives and installs it, without install scripts.
 *
 * @param {string} folder a new folder
 * @param {Record<string, string>} archives
 * @param {string[]} manager the command line of npm or pnpm
 * @returns {Ending}
 */
export function installPackages(folder, archives, manager = ['npm']) {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(
    Object.entries(archives).map(([name, file]) => [name, `file:${file}`]),
  );
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies,
    devDependencies: { '@types/node': '^20.19.43' },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  // pnpm would ask the registry for the archives' dependencies on each other.
  const overrides = Object.entries(dependencies).map(([name, file]) => `  '${name}': '${file}'\n`);
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), `overrides:\n${overrides.join('')}`);
  // A connection that the registry leaves open would delay the test by the five minutes
  // that package managers wait.
  const options = ['--ignore-scripts', '--prefer-offline', '--fetch-timeout=20000'];
  return run([...manager, 'install', ...options], folder);
}

/**
 * Runs a command line in a folder, without the variables that npm sets for programs it starts.
 *
 * @param {string[]} words
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} environment overrides this process's own; undefined removes a variable
 * @returns {Ending}
 */
export function run(words, folder, environment = {}) {
  const [program = '', ...parameters] = words;
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const { status, stdout, stderr } = spawnSync(program, parameters, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...Object.fromEntries(own), ...environment },
    maxBuffer: 2 ** 26,
  });
  return { status, stdout, stderr };
}

/**
 * @param {string} wanted
 * @returns {Map<string, string>} the folder of a package and of those it depends on, by name
 */
function neededBy(wanted) {
  const manifests = readdirSync(join(checkout, 'packages')).map((folder) => {
    /** @type {{ name: string, dependencies?: Record<string, string> }} */
    const manifest = JSON.parse(readFileSync(join(checkout, 'packages', folder, 'package.json'), 'utf8'));
    return { ...manifest, folder: `packages/${folder}` };
  });
  /** @type {Map<string, string>} */
  const needed = new Map();
  const add = (/** @type {string} */ name) => {
    const found = manifests.find((manifest) => manifest.name === name);
    if (!found || needed.has(name)) return;
    needed.set(name, found.folder);
    for (const other of Object.keys(found.dependencies ?? {})) add(other);
  };
  add(wanted);
  return needed;
}
