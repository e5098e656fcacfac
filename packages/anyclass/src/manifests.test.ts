// What every published package of the repository must contain.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license: string;
  readonly repository: { readonly directory: string };
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly publishConfig: { readonly access: string; readonly provenance: boolean };
}

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { workspaces }: { workspaces: string[] } = JSON.parse(read('package.json'));
const published = workspaces.filter((folder) => !manifestOf(folder).private);
const version = manifestOf('packages/anyclass').version;

describe.each(published)('%s', (folder) => {
  const manifest = manifestOf(folder);

  test('has a readme that starts with its name, and the license', () => {
    expect(read(`${folder}/README.md`)).toMatch(new RegExp(`^# ${manifest.name}\n`));
    expect(read(`${folder}/LICENSE`)).toBe(read('LICENSE'));
    expect(manifest.license).toBe('MIT');
  });

  test('is published with provenance, from its own folder, with the same version as all others', () => {
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    expect(manifest.repository.directory).toBe(folder);
    expect(manifest.version).toBe(version);
  });

  test('has types for every entry point, as the first condition', () => {
    for (const entry of Object.values(manifest.exports)) {
      if (typeof entry === 'string') continue; // files of a page
      const { '@anyclass/source': _, types, ...code } = entry;
      expect(Object.keys(entry).find((name) => name !== '@anyclass/source')).toBe('types');
      // Studio's entry is types alone: what its server and its page tell each other.
      if (folder === 'packages/studio') expect(code).toEqual({});
      else expect(code).toEqual({ default: types?.replace(/\.d\.ts$/, '.js') });
    }
  });

  test('excludes tests and runs nothing when it is installed', () => {
    expect(manifest.files).toContain('!**/*.test.*');
    const scripts = Object.keys(manifest.scripts ?? {});
    expect(scripts.filter((name) => /install|^prepare$|^dependencies$/.test(name))).toEqual([]);
    expect(existsSync(join(root, folder, 'binding.gyp'))).toBe(false);
  });
});

function manifestOf(folder: string): Manifest {
  return JSON.parse(read(`${folder}/package.json`));
}
