// How the program starts: what it loads, and the limits that shared machines set.

import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { program } from '../../test/program.mjs';

const fixtures = fileURLToPath(new URL('../../test/fixtures/data', import.meta.url));
const folder = testFolder();

test.skipIf(process.platform === 'win32').each([
  ['ulimit -n 64', '--version'],
  ['ulimit -n 64', '--help'],
  ['ulimit -n 64', 'predict --help'],
  ['ulimit -v 4000000', '--version'],
  ['ulimit -v 4000000', '--help'],
  ['ulimit -v 4000000', 'inspect --help'],
])('under %s, anyclass %s works', (limit, words) => {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `${limit}; '${process.execPath}' '${program}' ${words}`],
    {
      encoding: 'utf8',
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.skipIf(process.platform === 'win32')('the program names a limit that is too low for it', () => {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `ulimit -n 20; '${process.execPath}' '${program}' predict --help`],
    {
      encoding: 'utf8',
    },
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining("raise the limit with 'ulimit -n'"),
  });
});

test.skipIf(process.platform !== 'linux').each(['inspect', 'prepare'])(
  '%s reads every image or says how much address space is missing, whatever the limit',
  (command) => {
    const table = join(folder, 'labels.csv');
    const names = Array.from({ length: 12 }, (_, i) => `${i}.${i % 2 === 0 ? 'png' : 'jpg'}`);
    for (const name of names)
      copyFileSync(join(fixtures, name.endsWith('png') ? 'rgb.png' : 'rgb.jpg'), join(folder, name));
    writeFileSync(table, ['Filename,x', ...names.map((name, i) => `${name},${i % 2}`)].join('\n'));
    const cache = command === 'prepare' ? `--cache '${join(folder, 'cache')}'` : '';
    for (const limit of [1_300_000, 1_500_000, 1_800_000]) {
      const line = `ulimit -v ${limit}; '${process.execPath}' '${program}' ${command} '${table}' --json ${cache}`;
      const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
      if (status === 0) expect(JSON.parse(stdout).quarantined).toEqual([]);
      else
        expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/ulimit -v.*needed/) });
    }
  },
  60_000,
);

test('a command loads a few files of the bundle and none of the unbundled library', () => {
  const hook = 'export const load = (url, context, next) => (console.log(url), next(url, context));';
  const observed = `import { register } from 'node:module'; register('data:text/javascript,${encodeURIComponent(hook)}');`;
  const { stdout } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(observed)}`, program, 'train', '--help'],
    { encoding: 'utf8' },
  );
  const packages = stdout.split('\n').filter((line) => /^file:.*\/packages\//.test(line));
  const ofBundle = packages.filter((url) => url.includes('/anyclass/bundle/'));
  expect(packages.filter((url) => !ofBundle.includes(url))).toEqual([
    expect.stringMatching(/bin\/anyclass\.js$/),
  ]);
  expect(ofBundle.length).toBeGreaterThan(1);
  expect(ofBundle.length).toBeLessThan(16);
});
