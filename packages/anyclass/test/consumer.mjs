// A project that uses the installed packages: every entry point is type-checked in strict mode, and core is
// bundled for a browser.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageNames, run } from './installation.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

const program = `
import { anyClassLoss, type Metrics } from '@anyclass/core';
import { EngineError, type Tensor, tensor } from '@anyclass/torch';
import { type ConfigurationInput, type TrainingResult, train } from 'anyclass';

export const { loss }: { loss: number } = anyClassLoss(
  new Float64Array([2, -1]),
  new Float64Array([1, 0]),
  { classes: 2, base: 'bce' },
);
export const twice = (x: Tensor): Tensor => x.mul(2);
export const f1 = (metrics: Metrics): number => metrics.macroF1;
export const pair = (): Tensor => tensor([1, 2]);
export const isMissing = (error: unknown): boolean => error instanceof EngineError;
export const configuration: ConfigurationInput = { data: { dataset: 'digits' }, loss: { name: 'any-bce' } };
export const result = (): Promise<TrainingResult> => train(configuration, { run: 'runs/one' });
// @ts-expect-error: there is no such loss
export const wrong: ConfigurationInput = { data: { dataset: 'digits' }, loss: { name: 'any-thing' } };
`;

/**
 * Type-checks a program that imports every entry point of the packages. Returns the
 * errors; '' if there are none.
 *
 * @param {string} folder the project's folder
 * @param {'node16' | 'bundler'} resolution
 */
export function typeCheck(folder, resolution) {
  const paths = packageNames.flatMap((name) => {
    /** @type {{ exports: Record<string, unknown> }} */
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    // A pattern names files, such as those of a page, and no modules.
    const modules = Object.keys(manifest.exports).filter((path) => !path.includes('*'));
    return modules.map((path) => join(name, path));
  });
  const everything = paths.map((path, i) => `export * as all${i} from '${path}';\n`).join('');
  writeFileSync(join(folder, 'consumer.ts'), `${everything}${program}`);
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    types: ['node'],
    module: resolution === 'node16' ? 'node16' : 'esnext',
    moduleResolution: resolution,
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['consumer.ts'] }),
  );
  const { status, stdout, stderr } = run([join(root, 'node_modules/.bin/tsc'), '-p', '.'], folder);
  return status === 0 ? '' : `${stdout}${stderr}`;
}

/**
 * Bundles a program that uses core for a browser. Returns the script.
 *
 * @param {string} folder the project's folder
 */
export function bundleCore(folder) {
  const source = `
import { anyClassLoss } from '@anyclass/core';
const [logits, targets] = [new Float64Array([2, -1]), new Float64Array([1, 0])];
globalThis.loss = anyClassLoss(logits, targets, { classes: 2, base: 'bce' }).loss;
`;
  writeFileSync(join(folder, 'page.js'), source);
  const { status, stdout, stderr } = run(
    [join(root, 'node_modules/.bin/esbuild'), 'page.js', '--bundle', '--platform=browser', '--format=iife'],
    folder,
  );
  if (status !== 0) throw new Error(`esbuild failed:\n${stderr}`);
  return stdout;
}
