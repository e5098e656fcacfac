// The example pages of the documentation, made by the commands that users type.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** What the site's navigation says about them. */
export const exampleDescriptions = [
  { name: 'example: report of a run', href: 'example-report.html' },
  { name: 'example: comparison', href: 'example-comparison.html' },
  { name: 'example: inspection', href: 'example-inspection.html' },
];

const scenes = (train, validation, test) =>
  Object.entries({ train, validation, test }).flatMap(([split, count]) => [
    '--set',
    `data.digits.scenes.${split}=${count}`,
  ]);

/** Trains small runs below build/example-runs, unless they are there, and copies their pages into the site. */
export function makeExamples(root, out) {
  const folder = join(root, 'build/example-runs');
  mkdirSync(folder, { recursive: true });
  const anyclass = (...words) =>
    execFileSync(process.execPath, [join(root, 'packages/anyclass/bin/anyclass.js'), ...words], {
      cwd: folder,
      stdio: 'inherit',
    });
  if (existsSync(join(folder, 'digits/config.json'))) anyclass('train', '--resume', 'digits');
  else anyclass('train', 'quick', '--run', 'digits', ...scenes(6000, 1500, 1500), '--set', 'epochs=6');
  if (!existsSync(join(folder, 'losses/comparison.html'))) {
    anyclass(
      'compare',
      'quick',
      '--losses',
      'bce,any-bce',
      '--seeds',
      '1,2',
      '--out',
      'losses',
      ...scenes(1500, 800, 800),
      '--set',
      'epochs=2',
    );
  }
  anyclass('inspect', 'digits', '--limit', '500', '--html', 'inspection.html', '--force');
  cpSync(join(folder, 'digits/report.html'), join(out, 'example-report.html'));
  cpSync(join(folder, 'losses/comparison.html'), join(out, 'example-comparison.html'));
  cpSync(join(folder, 'inspection.html'), join(out, 'example-inspection.html'));
}
