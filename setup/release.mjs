// Prepares a release: packs all packages, uses them in empty projects as a user would, and writes their checksums and the notes of the
// version; then publishes them.
//
//   npm run release -- --dry-run    everything but publishing
//
// The archives, SHA256SUMS and NOTES.md go to build/release.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  allPackages,
  installPackages,
  packageNames,
  packPackages,
} from '../packages/anyclass/test/installation.mjs';
import { useInstalled } from '../packages/anyclass/test/usage.mjs';
import { releaseNotes } from './releaseNotes.mjs';
import { root, run, SetupError } from './shell.mjs';

const isDryRun = process.argv.includes('--dry-run');
const out = join(root, 'build/release');

try {
  const version = commonVersion();
  const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, {
    orUnreleased: isDryRun,
  });
  rmSync(out, { recursive: true, force: true });
  const archives = packPackages(out, allPackages);
  await tryOut(archives);
  const sums = Object.values(archives).map((path) => `${sha256(path)}  ${basename(path)}\n`);
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(out, 'NOTES.md'), notes);
  console.log(`release: ${version} is in build/release`);
  if (isDryRun) console.log('release: nothing was published (--dry-run)');
  else for (const path of Object.values(archives)) run('npm', ['publish', path]);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

/** All packages have one version, and depend on each other at exactly that version. */
function commonVersion() {
  const manifests = [...allPackages.values()].map((folder) => {
    /** @type {{ name: string, version: string, dependencies?: Record<string, string> }} */
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return manifest;
  });
  const version = manifests[0]?.version ?? '';
  for (const { name, version: own, dependencies = {} } of manifests) {
    if (own !== version) throw new SetupError(`${name} has version ${own}; expected ${version}`);
    for (const [other, needed] of Object.entries(dependencies))
      if (allPackages.has(other) && needed !== version)
        throw new SetupError(`${name} depends on ${other} ${needed}; expected ${version}`);
  }
  return version;
}

/**
 * Installs the packages with npm and with pnpm, and uses them, with an empty cache.
 *
 * @param {Record<string, string>} archives
 */
async function tryOut(archives) {
  const needed = Object.fromEntries(Object.entries(archives).filter(([name]) => packageNames.includes(name)));
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-release-'));
  try {
    for (const [name, manager] of Object.entries({ npm: ['npm'], pnpm: ['npx', '--yes', 'pnpm@latest'] })) {
      console.log(`release: installing with ${name}; setup, training, export and a server`);
      const project = join(folder, name);
      const { status, stdout, stderr } = installPackages(project, needed, manager);
      if (status !== 0) throw new SetupError(`${name} install failed: ${stdout}${stderr}`);
      const home = join(folder, 'home');
      mkdirSync(home, { recursive: true });
      const problem = await useInstalled(project, [process.execPath], { ANYCLASS_HOME: home });
      if (problem !== '') throw new SetupError(`installed with ${name}: ${problem}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} path */
function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
