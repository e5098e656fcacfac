// Installs the npm packages and runs the TypeScript build.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, root, run } from './shell.mjs';

const stamp = join(root, 'node_modules/.anyclass-setup');

export function installPackages() {
  const expected = fingerprint([join(root, 'package-lock.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return;
  // Not `npm ci`, which refuses a lock file that lacks the binaries of platforms that a mirror does not have.
  // No package needs its install script; the one of onnxruntime-node would download its CUDA files.
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts']);
  forgetChecks();
  acceptPackages();
}

// The compiler remembers that a package was missing, and does not look for it again after it was installed.
function forgetChecks() {
  rmSync(join(root, 'node_modules/.cache/check.tsbuildinfo'), { force: true });
  for (const name of readdirSync(join(root, 'packages')))
    rmSync(join(root, 'packages', name, 'dist/.tsbuildinfo'), { force: true });
}

/**
 * Records that the installed packages match the lock file; also for bench/gpu/unpack.sh, which
 * unpacks packages that npm installed elsewhere.
 */
export function acceptPackages() {
  writeFileSync(stamp, fingerprint([join(root, 'package-lock.json')]));
}

/** Runs `tsc -b`, which builds only what is out of date. */
export function buildTypeScript() {
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'tsconfig.build.json']);
}
