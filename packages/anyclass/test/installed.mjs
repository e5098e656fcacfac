// Installs the packed packages in empty folders with several package managers, and uses them as a user would.
//
//   npm run test:install                          all of npm 10, npm 11, pnpm, and npm 12 under Node 22
//   npm run test:install -- npm@11 pnpm@latest    only these
//
// Needs the npm registry, for the managers themselves. npm 12 does not run on Node 20, so the npm
// package of Node 22 runs it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCore, typeCheck } from './consumer.mjs';
import { installPackages, packPackages } from './installation.mjs';
import { useInstalled } from './usage.mjs';

const wanted = process.argv.slice(2);
const managers = wanted.length > 0 ? wanted : ['npm@10', 'npm@11', 'pnpm@latest', 'npm@12'];
const folder = mkdtempSync(join(tmpdir(), 'anyclass-managers-'));
try {
  const archives = packPackages(join(folder, 'archives'));
  for (const manager of managers) {
    const problem = await attempt(manager, join(folder, manager), archives);
    console.log(`${manager.padEnd(14)}${problem === '' ? 'ok' : `FAILED: ${problem}`}`);
    if (problem !== '') process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * @param {string} manager
 * @param {string} project
 * @param {Record<string, string>} archives
 * @returns {Promise<string>} what went wrong; '' if nothing did
 */
async function attempt(manager, project, archives) {
  const needsNode22 = Number(/^npm@(\d+)/.exec(manager)?.[1] ?? 0) >= 12;
  const packages = [...(needsNode22 ? ['node@22'] : []), manager];
  const npx = ['npx', '--yes', ...packages.flatMap((name) => ['-p', name])];
  const [program = ''] = manager.split('@');
  const installed = installPackages(project, archives, [...npx, '--', program]);
  if (installed.status !== 0) return `${installed.stdout}${installed.stderr}`;
  const node = [...(needsNode22 ? [...npx, '--'] : []), 'node'];
  const problem = await useInstalled(project, node);
  if (problem !== '') return problem;
  bundleCore(project);
  return typeCheck(project, 'node16') + typeCheck(project, 'bundler');
}
