import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { program } from '../../test/program.mjs';
import { diagnose, diagnosisText } from '../doctor/diagnosis.js';

const anyclass = (...words: string[]) =>
  spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' });

test('doctor reports libtorch, BLAS, threads and devices', () => {
  const { status, stdout } = anyclass('doctor', '--json');
  expect(status).toBe(0);
  const diagnosis: Record<string, unknown> = JSON.parse(stdout);
  expect(diagnosis).toMatchObject({
    failure: null,
    libtorch: { version: expect.stringMatching(/^\d+\.\d+/) },
  });
  expect(diagnosis['devices']).toContain('cpu');
});

test('doctor names the kernels of OpenBLAS, and warns if a variable chooses them', () => {
  const under = (variables: Record<string, string>) => {
    const env = { ...process.env, ...variables };
    const { stdout } = spawnSync(process.execPath, [program, 'doctor'], { encoding: 'utf8', env });
    return stdout;
  };
  expect(under({ OPENBLAS_CORETYPE: '' })).not.toContain('OPENBLAS_CORETYPE');
  const chosen = under({ OPENBLAS_CORETYPE: 'Haswell' });
  // Other libraries of libtorch do not read the variable.
  if (!chosen.includes('openblas')) return;
  expect(chosen).toMatch(/^BLAS .* with kernels for Haswell$/m);
  expect(chosen).toMatch(/^warning +OPENBLAS_CORETYPE=Haswell /m);
});

test('the text says why there is no GPU, or names it', async () => {
  const diagnosis = await diagnose();
  const text = diagnosisText(diagnosis);
  expect(text).toContain(diagnosis.noCuda ?? 'cuda:0');
  expect(text).toContain(`${diagnosis.threads} on ${diagnosis.cores} cores`);
});

test('warnings and failures are shown, and the result comes first', () => {
  const base = {
    ...{ node: '20', cores: 2, libtorch: null, blas: null, threads: null, devices: [], noCuda: null },
    setup: [],
  };
  const text = (warnings: string[], failure: string | null) => diagnosisText({ ...base, warnings, failure });
  expect(text([], null)).toMatch(/^result +OK\n/);
  expect(text(['slow BLAS'], null)).toMatch(/^result +OK, with warnings\n[\s\S]*warning +slow BLAS/);
  expect(text([], 'no addon')).toMatch(/^FAILED +no addon\n/);
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
