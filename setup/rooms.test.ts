import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { ground, orders, packages } from './rooms.js';

const root = join(import.meta.dirname, '..');

interface Import {
  readonly from: string;
  readonly to: string;
}

/** The sources of all packages, without tests and what they share. */
const sources = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
  .map((file) => join('packages', file).replaceAll('\\', '/'))
  .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .filter((file) => !/\/(node_modules|dist|bundle|build|test)\//.test(file));

const known = new Set(sources);
const codeOf = new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const imports = sources.flatMap(relativeImports);

function relativeImports(from: string): Import[] {
  const found = codeOf
    .get(from)!
    .matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm);
  return Array.from(found, ([, named, bare, lazy]) => {
    const path = normalize(join(dirname(from), named ?? bare ?? lazy ?? '')).replaceAll('\\', '/');
    // What is not a file is text that looks like an import, such as a generator's template.
    return [path, path.replace(/js$/, 'ts'), path.replace(/js$/, 'tsx')].find((file) => known.has(file));
  })
    .filter((to) => to !== undefined)
    .map((to) => ({ from, to }));
}

/** Where an import crosses: the folder that holds both files, and the entry of that folder's plan that each belongs to. */
function crossing({ from, to }: Import) {
  const [fromParts, toParts] = [from.split('/'), to.split('/')];
  let depth = 0;
  while (depth < Math.min(fromParts.length, toParts.length) - 1 && fromParts[depth] === toParts[depth])
    depth++;
  const folder = fromParts.slice(0, depth).join('/');
  return { folder, from: entryOf(folder, fromParts, depth), to: entryOf(folder, toParts, depth) };
}

function entryOf(folder: string, parts: readonly string[], depth: number): string {
  const name = parts[depth]!;
  return depth < parts.length - 1 || isTop(name) || orders[folder]?.includes(name) ? name : '.';
}

const isTop = (name: string) => name === 'index.ts' || name === 'main.ts';

/** What each folder holds: its subfolders, and '.' for files of its own. */
function heldByFolder(): Map<string, Set<string>> {
  const held = new Map<string, Set<string>>();
  for (const file of sources) {
    const parts = file.split('/');
    for (let depth = 2; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      const entry = entryOf(folder, parts, depth);
      if (isTop(entry)) continue;
      held.set(folder, (held.get(folder) ?? new Set()).add(entry));
    }
  }
  return held;
}

function upwardImports(): (Import & { folder: string })[] {
  return imports.flatMap((each) => {
    const { folder, from, to } = crossing(each);
    const order = orders[folder] ?? [];
    const height = (entry: string) => (isTop(entry) ? order.length : order.indexOf(entry));
    return height(from) < height(to) ? [{ ...each, folder }] : [];
  });
}

/** The files that can reach themselves through imports, each with one such way. */
function circularFiles(): Map<string, string> {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const circular = new Map<string, string>();
  for (const start of sources) {
    const reachedFrom = new Map<string, string>();
    const queue = [start];
    for (const file of queue) {
      for (const to of next.get(file) ?? []) {
        if (reachedFrom.has(to)) continue;
        reachedFrom.set(to, file);
        queue.push(to);
      }
    }
    if (!reachedFrom.has(start)) continue;
    const way = [start];
    for (let file = reachedFrom.get(start)!; file !== start; file = reachedFrom.get(file)!) way.unshift(file);
    circular.set(start, [start, ...way].join(' imports '));
  }
  return circular;
}

test('every folder that holds two or more things has an order of all of them', () => {
  const held = [...heldByFolder()].filter(
    ([folder, entries]) => entries.size > 1 || orders[folder] !== undefined,
  );
  const actual = held.map(([folder, entries]) => [folder, [...entries].sort()]);
  const planned = Object.entries(orders).map(([folder, order]) => [folder, [...order].sort()]);
  expect(Object.fromEntries(planned)).toEqual(Object.fromEntries(actual));
});

test('folders import only from folders below them', () => {
  expect(upwardImports().map(({ folder, from, to }) => `in ${folder}: ${from} imports ${to}`)).toEqual([]);
});

test('files do not import each other in a circle, not even types', () => {
  expect([...circularFiles().values()]).toEqual([]);
});

test('packages import only the packages that the plan names', () => {
  const named = sources.flatMap((file) => {
    const [own] = Object.keys(packages).filter(
      (name) => file.split('/')[1] === name.replace('@anyclass/', ''),
    );
    const found = codeOf.get(file)!.matchAll(/\b(?:from|import\() ?'((?:@anyclass\/)?[a-z]+)[^']*'/g);
    return Array.from(found, ([, to]) => ({ file, own: own ?? 'a package without a plan', to: to! }))
      .filter(({ to }) => to in packages && to !== own)
      .filter(({ to }) => !packages[own ?? '']?.includes(to))
      .map((each) => `${each.own}: ${file} imports ${each.to}`);
  });
  const reaching = imports.filter(({ from, to }) => from.split('/')[1] !== to.split('/')[1]);
  expect([...named, ...reaching.map(({ from, to }) => `${from} imports ${to}`)]).toEqual([]);
});

test('folders on the ground import nothing from elsewhere in their package', () => {
  const leaving = imports.filter(({ from, to }) =>
    ground.some((folder) => from.startsWith(`${folder}/`) && !to.startsWith(`${folder}/`)),
  );
  expect(leaving.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test.each([
  ['packages/anyclass/src', 'Rooms of `packages/anyclass/src`'],
  ['packages/torch/src', 'Rooms of `packages/torch/src`'],
  ['packages/anyclass/src/data', 'Rooms of `data`'],
])('the page about the architecture describes the rooms of %s in their order', (folder, title) => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, section = ''] = page.split(`## ${title}\n`);
  const rows = section.split('\n## ')[0]!.matchAll(/^\| (`.*?`) \|/gm);
  const described = Array.from(rows, ([, names = '']) => names.replaceAll('`', '').split(', ')).flat();
  const rooms = orders[folder]!.filter((name) => !name.endsWith('.ts') && name !== '.');
  expect(described.filter((name) => !name.endsWith('.ts'))).toEqual(rooms);
});
