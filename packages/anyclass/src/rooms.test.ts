// The floor plan: a room imports only from rooms below it. `index.ts`, `main.ts` and tests are above all.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

/** Bottom to top. */
const rooms = [
  'errors',
  'events',
  'files',
  'hub',
  'kernels',
  'tables',
  'charts',
  'pages',
  'distribution',
  'data',
  'networks',
  'losses',
  'configuration',
  'inspect',
  'runs',
  'inference',
  'evaluation',
  'training',
  'children',
  'experiments',
  'tuning',
  'recommendation',
  'reports',
  'export',
  'serving',
  'verify',
  'setup',
  'doctor',
  'playground',
  'demo',
  'commandLine',
  'commands',
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

const source = import.meta.dirname;

function roomImports(): Import[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && file.includes(sep))
    .flatMap((file) => {
      const code = readFileSync(join(source, file), 'utf8');
      const imports = code.matchAll(
        /^(?:import|export)\b[^;]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
      );
      return Array.from(imports, ([, named, bare, lazy]) => {
        const target = relative(source, join(source, dirname(file), named ?? bare ?? lazy ?? ''));
        return { from: roomOf(file), to: roomOf(target), text: `${file} imports ${target}` };
      });
    })
    .filter(({ from, to }) => from !== to);
}

function roomOf(file: string): string {
  const [first = '', ...rest] = file.split(sep);
  return rest.length > 0 ? first : 'index.ts, main.ts';
}

test('every source folder is a room with a place in the order', () => {
  const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...rooms].sort());
});

test('rooms import only from rooms below them, so that there are no import cycles', () => {
  const height = (room: string) => (rooms.includes(room) ? rooms.indexOf(room) : rooms.length);
  const upward = roomImports().filter(({ from, to }) => height(from) < height(to));
  expect(upward.map(({ text }) => text)).toEqual([]);
});

test('events import nothing from other rooms', () => {
  expect(roomImports().filter(({ from }) => from === 'events')).toEqual([]);
});
