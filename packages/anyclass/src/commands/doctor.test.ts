import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { diagnose, diagnosisText } from '../doctor/diagnosis.js';

const program = fileURLToPath(new URL('../../bin/anyclass.js', import.meta.url));
const anyclass = (...words: string[]) =>
  spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' });

test('doctor tells libtorch, BLAS, threads and devices', () => {
  const { status, stdout } = anyclass('doctor', '--json');
  expect(status).toBe(0);
  const diagnosis: Record<string, unknown> = JSON.parse(stdout);
  expect(diagnosis).toMatchObject({
    failure: null,
    libtorch: { version: expect.stringMatching(/^\d+\.\d+/) },
  });
  expect(diagnosis['devices']).toContain('cpu');
});

test('the text says why there is no GPU, or names it', async () => {
  const diagnosis = await diagnose();
  const text = diagnosisText(diagnosis);
  expect(text).toContain(diagnosis.noCuda ?? 'cuda:0');
  expect(text).toContain(`${diagnosis.threads} on ${diagnosis.cores} cores`);
});

test('warnings and failures are shown', () => {
  const base = {
    ...{ node: '20', cores: 2, libtorch: null, blas: null, threads: null, devices: [], noCuda: null },
    setup: [],
  };
  expect(diagnosisText({ ...base, warnings: ['slow BLAS'], failure: null })).toContain('warning   slow BLAS');
  expect(diagnosisText({ ...base, warnings: [], failure: 'no addon' })).toContain('FAILED    no addon');
});

test('help starts without loading libtorch', () => {
  const probe = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `process.argv.push('--help'); await import(${JSON.stringify(`file://${program}`)}); console.log(process.report.getReport().sharedObjects.join())`,
    ],
    { encoding: 'utf8' },
  );
  expect(probe.stdout).toContain('Usage: anyclass');
  expect(probe.stdout).not.toContain('libtorch_cpu');
});
