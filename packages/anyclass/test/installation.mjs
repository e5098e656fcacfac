// Packs the packages and installs them in an empty folder outside the checkout, as a user
// would from the registry.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** The folder of each package of this checkout, by name; those that others depend on come before them. */
export const allPackages = sortedPackages();

/** The packages that a user of anyclass gets from this checkout: anyclass and what it depends on. */
export const packageNames = neededBy('anyclass');

/**
 * @typedef {object} Ending
 * @property {number | null} status
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Packs built packages of the checkout.
 *
 * @param {string} folder where the archives go
 * @param {ReadonlyMap<string, string>} packages by name, with their folders; default: anyclass and what it depends on
 * @returns {Record<string, string>} the archive of each package
 */
export function packPackages(
  folder,
  packages = new Map([...allPackages].filter(([name]) => packageNames.includes(name))),
) {
  mkdirSync(folder, { recursive: true });
  const workspaces = [...packages.values()].flatMap((path) => ['-w', path]);
  const packed = run(['npm', 'pack', '--pack-destination', folder, ...workspaces], checkout);
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stdout}${packed.stderr}`);
  const files = readdirSync(folder);
  return Object.fromEntries(
    [...packages.keys()].map((name) => {
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
  // npm would ask the registry about the security of every package; as variables, since pnpm refuses the options.
  return run([...manager, 'install', ...options], folder, {
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  });
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

/** @returns {Map<string, string>} */
function sortedPackages() {
  const folders = readdirSync(join(checkout, 'packages')).map((name) => `packages/${name}`);
  const byName = new Map(folders.map((folder) => [manifestOf(folder).name, folder]));
  /** @type {Map<string, string>} */
  const sorted = new Map();
  const add = (/** @type {string} */ name) => {
    const folder = byName.get(name);
    if (folder === undefined || sorted.has(name)) return;
    for (const other of Object.keys(manifestOf(folder).dependencies ?? {})) add(other);
    sorted.set(name, folder);
  };
  for (const name of byName.keys()) add(name);
  return sorted;
}

/**
 * @param {string} wanted
 * @returns {string[]} a package and those of the checkout that it depends on
 */
function neededBy(wanted) {
  const needed = new Set([wanted]);
  for (const name of needed) {
    const folder = allPackages.get(name);
    const { dependencies = {} } = folder === undefined ? {} : manifestOf(folder);
    for (const other of Object.keys(dependencies)) if (allPackages.has(other)) needed.add(other);
  }
  return [...needed];
}

/**
 * @param {string} folder
 * @returns {{ name: string, dependencies?: Record<string, string> }}
 */
function manifestOf(folder) {
  return JSON.parse(readFileSync(join(checkout, folder, 'package.json'), 'utf8'));
}
