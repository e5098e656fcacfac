import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';

const ending = new URL('../../dist/children/endProcess.js', import.meta.url).href;

/** How a process ends that sets an exit code, does this, and ends a moment later. */
function end(work: string) {
  const text = `import { readFile, createReadStream } from 'node:fs';
    import { endNow } from ${JSON.stringify(ending)};
    process.on('exit', () => process.stdout.write('cleaned up'));
    process.exitCode = 3;
    setInterval(() => {}, 1000);
    ${work}
    setTimeout(endNow, 200);`;
  const words = ['--input-type=module', '--eval', text];
  const { status, signal, stdout } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  return [status ?? signal, stdout];
}

test('a process ends with the code that was set, whatever it waits for', () => {
  expect(end('')).toEqual([3, 'cleaned up']);
  expect(end(`readFile(${JSON.stringify(import.meta.filename)}, () => {});`)).toEqual([3, 'cleaned up']);
});

test.skipIf(process.platform === 'win32')(
  'a process ends by a signal if a thread waits for a pipe, for which an exit would wait (not on Windows)',
  () => {
    const pipe = join(testFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(end(`readFile(${JSON.stringify(pipe)}, () => {});`)).toEqual(['SIGTERM', 'cleaned up']);
    expect(end(`createReadStream(${JSON.stringify(pipe)});`)).toEqual(['SIGTERM', 'cleaned up']);
  },
);
