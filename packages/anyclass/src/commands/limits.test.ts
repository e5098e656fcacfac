// How the program starts: what it loads, and the limits that shared machines set.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../bin/anyclass.js', import.meta.url));

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

test.skipIf(process.platform === 'win32')('a limit that is too low for the program is named', () => {
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

test('a command loads a few files of the bundle, and none of the library beside them', () => {
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
