import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineBuild } from '@anyclass/torch/builds';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../files/test/testFolder.js';

// The check reads the files next to it; here they are copies, so that the test can damage them.
const torch = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(torch, '../../node_modules/typescript/bin/tsc');
const copy = testFolder();
const files = ['tensor/operators.generated.ts', 'tensor/tensorMethods.generated.ts'];

beforeAll(() => {
  const built = spawnSync(process.execPath, [tsc, '-b', join(torch, 'generate')], { encoding: 'utf8' });
  expect(built.stdout).toBe('');
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(copy, 'src'));
  mkdirSync(join(copy, 'node_modules/@anyclass'), { recursive: true });
  symlinkSync(torch, join(copy, 'node_modules/@anyclass/torch'));
  cpSync(join(torch, 'generate/dist'), join(copy, 'generate/dist'), { recursive: true });
  for (const file of files) cpSync(join(torch, 'src', file), join(copy, 'src', file));
}, 120_000);

test('the committed files match the schemas', () => {
  const { status, stdout, stderr } = check();
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^generated operators: \d+ fit libtorch \d/);
});

const addon: { version(): string } = createRequire(import.meta.url)(engineBuild().path);
const isReference = addon.version().startsWith('1.13.');

test.skipIf(!isReference)(
  'a stale file is detected and named (only on libtorch 1.13, which the files are generated from)',
  () => {
    appendFileSync(join(copy, 'src/tensor/operators.generated.ts'), '// stale\n');
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toContain(
      "packages/torch/src/tensor/operators.generated.ts does not match the schemas; run 'npm run generate'",
    );
    expect(stderr).not.toContain('tensor_methods');
  },
);

function check() {
  return spawnSync(process.execPath, [join(copy, 'generate/dist/generate.js'), '--check'], {
    cwd: torch,
    encoding: 'utf8',
  });
}
