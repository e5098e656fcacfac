// The npm packages and the TypeScript build.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, root, run } from './shell.mjs';

const stamp = join(root, 'node_modules/.anyclass-setup');

export function installPackages() {
  const expected = fingerprint([join(root, 'package-lock.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return;
  // Not `npm ci`: it refuses a lock file without the binaries of platforms that a mirror does not carry.
  // None needs its own script to work; that of onnxruntime-node would fetch CUDA's part from the network.
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts']);
  acceptPackages();
}

/** Takes the packages that are there for the right ones. */
export function acceptPackages() {
  writeFileSync(stamp, fingerprint([join(root, 'package-lock.json')]));
}

/** `tsc -b` itself knows what is up to date. */
export function buildTypeScript() {
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'tsconfig.build.json']);
}
