// What is compiled: the sources in a package and the file that comes of them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from './home.js';

/** A shared library that setup builds from sources which a package ships. */
export interface NativeLibrary {
  /** The package's own folder, which holds its `package.json`. */
  readonly packageFolder: string;
  /** Below the package's folder; what is in folders below them does not count. */
  readonly sourceFolders: readonly string[];
  /** The name of the file to make: `.node` for what Node opens itself. */
  readonly file: string;
  /** Whether it is linked with libtorch: then there is one build for each libtorch. */
  readonly usesLibtorch: boolean;
}

/**
 * Which library this is, wherever the package lies: its package and version, the platform, and a hash of its sources, by which a
 * checkout's builds follow its changes and an installed package shares them.
 *
 * @example
 * libraryKey(engineLibrary) // '@anyclass+torch-0.1.0-linux-x64-torch.node-3fb41c0a95d2'
 */
export function libraryKey(library: NativeLibrary): string {
  const manifest: { name: string; version: string } = JSON.parse(
    readFileSync(join(library.packageFolder, 'package.json'), 'utf8'),
  );
  const hash = createHash('sha256');
  for (const file of sourceFiles(library)) hash.update(file).update('\0').update(readSource(library, file));
  const sources = hash.digest('hex').slice(0, 12);
  const name = `${manifest.name.replace('/', '+')}-${manifest.version}`;
  return `${name}-${process.platform}-${process.arch}-${library.file}-${sources}`;
}

/** The folder of all builds of a library. */
export function buildsFolder(library: NativeLibrary): string {
  return join(homeFolder(), 'native', libraryKey(library));
}

/**
 * The sources and headers of a library, from the package's folder.
 *
 * @example
 * sourceFiles(engineLibrary) // ['native/autograd.cc', 'native/cuda.cc', …]
 */
export function sourceFiles({ packageFolder, sourceFolders }: NativeLibrary): string[] {
  return sourceFolders.flatMap((folder) =>
    readdirSync(join(packageFolder, folder))
      .filter((file) => /\.(cc|cu|h)$/.test(file))
      .sort()
      .map((file) => `${folder}/${file}`),
  );
}

function readSource({ packageFolder }: NativeLibrary, file: string): Buffer {
  return readFileSync(join(packageFolder, file));
}
