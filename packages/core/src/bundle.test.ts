import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const source = import.meta.dirname;

// Platform-neutral: importing a Node module, or any package, fails the build.
async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(source, entry)],
    // Otherwise the folder in which esbuild was first loaded, which may have been another test's.
    absWorkingDir: source,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}

const importText = (text: string) =>
  import(/* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);

test('the losses by themselves are under 12 KB gzipped', async () => {
  expect(gzipSync(await bundle('losses/index.ts')).length).toBeLessThan(12 * 1024);
});

test('the losses can be imported as a module without a build step', async () => {
  const { anyClassLoss, effectiveNumberWeights } = await importText(await bundle('losses/index.ts'));
  const logits = new Float64Array([2, -1, 0.5, -2, -3, -0.5, 1.5, 0.25, -4]);
  const targets = new Float64Array([1, 0, 1, 0, 0, 0, 0, 1, 0]);
  const balance = effectiveNumberWeights([10, 100, 1000], 5000);
  expect(anyClassLoss(logits, targets, { classes: 3, base: 'bce', balance }).loss).toBeCloseTo(
    1.326046531012771,
    12,
  );
});

test('all of core needs no other package and no platform', async () => {
  const { measure, shuffleSplit } = await importText(await bundle('index.ts'));
  expect([...shuffleSplit(10, { testSize: 0.3, random: 42 }).test]).toEqual([8, 1, 5]);
  expect(measure({ scores: new Float64Array([0.9, 0.1]), targets: [1, 0], classNames: ['a'] }).mAP).toBe(1);
});
