// A root directory with a few programs and the libraries they load, and nothing else: no
// compiler, no package manager.

import { copyFileSync, existsSync, linkSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './installation.mjs';

/** Why such a root cannot be created or entered on this machine; undefined if it can. */
export function whyNoRoot() {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs to run as root, for chroot';
  if (run(['ldd', '--version'], '/').status !== 0) return 'needs ldd';
  const { status, stderr } = run(['unshare', '--mount', 'true'], '/');
  return status === 0 ? undefined : `cannot make mounts: ${stderr}`;
}

/**
 * Fills a root with system files at their own paths, and with the libraries that the
 * loader would open for them.
 *
 * @param {string} root
 * @param {{ files: string[], loadedBy?: string[] }} wanted `loadedBy`: files whose libraries are needed, but
 *   that are added in another way
 */
export function fillRoot(root, { files, loadedBy = [] }) {
  const all = new Set(files);
  for (const file of [...files, ...loadedBy]) {
    for (const [, path = ''] of run(['ldd', file], '/').stdout.matchAll(/(?:=> |^\t)(\/\S+)/gm))
      all.add(path);
  }
  for (const file of all) place(file, root);
  for (const name of ['dev', 'proc', 'tmp', 'project', 'home'])
    mkdirSync(join(root, name), { recursive: true });
}

/**
 * Runs a command line inside a root, in /project, which is a read-only mount of a folder of the system.
 *
 * @param {string} root
 * @param {string} project
 * @param {string[]} words
 * @param {NodeJS.ProcessEnv} environment
 */
export function runInRoot(root, project, words, environment) {
  // The mounts end with the process.
  const script = `
    set -e
    root="$0"; project="$1"; shift
    mount --bind /dev "$root/dev"
    mount --bind "$project" "$root/project"
    mount -o remount,bind,ro "$root/project"
    mount -t proc proc "$root/proc"
    exec chroot "$root" /bin/sh -c 'cd /project && exec "$@"' sh "$@"
  `;
  return run(['unshare', '--mount', '/bin/sh', '-c', script, root, project, ...words], '/', environment);
}

/**
 * Puts a file into a root, as a hard link if possible, since libtorch is large.
 *
 * @param {string} file
 * @param {string} root
 */
function place(file, root) {
  const target = join(root, file);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  try {
    linkSync(realpathSync(file), target);
  } catch {
    copyFileSync(file, target);
  }
}
