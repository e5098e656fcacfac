import { z } from 'zod';
import { findRemovable, type Removable, removableKinds } from '../clean/removable.js';
import { command } from '../commandLine/command.js';
import { counted } from '../errors/counted.js';
import { UserError } from '../errors/userError.js';
import { checkInputFolder } from '../files/inputs.js';
import { textTable } from '../tables/index.js';
import { megabytes } from '../tables/megabytes.js';

export const clean = command({
  name: 'clean',
  summary: 'List what takes space and can be made again, and remove it',
  positionals: [{ field: 'kinds', placeholder: 'KIND…', rest: true }],
  examples: [
    ['anyclass clean', 'list everything that can be removed, with its size'],
    ['anyclass clean checkpoints --yes', 'remove the checkpoints of finished runs below the current folder'],
    ['anyclass clean caches --in projects/sewer --yes', "remove another project's preprocessed images"],
    ['anyclass clean builds weights --yes', 'remove all that setup and training have downloaded or built'],
  ],
  options: z.object({
    kinds: z
      .array(z.enum(removableKinds))
      .default([])
      .describe(
        'checkpoints: of finished runs, which keep their models and best weights; caches: preprocessed images; builds: native libraries and downloaded libtorch, after which setup must run again; weights: downloaded weights, except those in the Hugging Face cache, which other programs share. Default: all',
      ),
    in: z
      .string()
      .default('.')
      .describe('look for runs and caches in this folder')
      .meta({ placeholder: 'DIR' }),
    yes: z.boolean().default(false).describe('remove what is listed'),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ kinds, in: folder, yes, json }, terminal) {
    checkInputFolder('--in', folder);
    const found = findRemovable(kinds.length > 0 ? kinds : removableKinds, folder);
    if (!json) terminal.print(found.length === 0 ? 'nothing to remove' : table(found));
    const removed = yes ? found.filter(({ isInUse }) => !isInUse) : [];
    for (const each of removed) each.remove();
    const result = {
      found: found.map(({ kind, path, bytes, isInUse }) => ({ kind, path, bytes, isInUse })),
      removed: removed.map(({ path }) => path),
    };
    if (json) terminal.print(JSON.stringify(result, null, 2));
    else if (found.length > 0) terminal.print(ending(found, removed, yes));
    const left = found.length - removed.length;
    if (yes && left > 0)
      throw new UserError(`${counted(left, 'entry')} in use, not removed; run it again later`);
    return result;
  },
});

function table(found: readonly Removable[]): string {
  return textTable({
    title: '',
    columns: [
      { title: 'kind', kind: 'text' },
      { title: 'path', kind: 'text' },
      { title: 'size', kind: 'text', align: 'right' },
      { title: '', kind: 'text' },
    ],
    rows: found.map(({ kind, path, bytes, isInUse }) => [
      kind,
      path,
      megabytes(bytes),
      isInUse ? 'in use' : '',
    ]),
  });
}

function ending(found: readonly Removable[], removed: readonly Removable[], isDone: boolean): string {
  const total = (some: readonly Removable[]) => megabytes(some.reduce((sum, { bytes }) => sum + bytes, 0));
  return isDone
    ? `removed ${counted(removed.length, 'entry')}, ${total(removed)}`
    : `${total(found)} in all. Nothing was removed; add --yes to remove it`;
}
