// The program under the limits that shared machines set.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../bin/anyclass.js', import.meta.url));

test.skipIf(process.platform === 'win32').each([
  ['ulimit -n 64', '--version'],
  ['ulimit -n 64', 'predict --help'],
  ['ulimit -v 4000000', '--version'],
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
    ['-c', `ulimit -n 22; '${process.execPath}' '${program}' --version`],
    {
      encoding: 'utf8',
    },
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining("raise the limit with 'ulimit -n'"),
  });
});
