// The npm packages and the TypeScript build.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, root, run } from './shell.mjs';

export function installPackages() {
  const stamp = join(root, 'node_modules/.anyclass-setup');
  const expected = fingerprint([join(root, 'package-lock.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return;
  run('npm', [existsSync(join(root, 'node_modules')) ? 'install' : 'ci', '--no-audit', '--no-fund']);
  writeFileSync(stamp, fingerprint([join(root, 'package-lock.json')]));
}

/** `tsc -b` itself knows what is up to date. */
export function buildTypeScript() {
  run('npm', ['run', '--silent', 'build']);
}
