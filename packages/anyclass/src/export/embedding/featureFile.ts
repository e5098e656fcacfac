// Writes feature vectors with names, splits and labels as a dataset: .csv, .parquet, or .npy and .safetensors
// with a table of labels next to them.

import { closeSync, openSync, writeSync } from 'node:fs';
import { extname } from 'node:path';
import { discardQuietly, type FileDraft } from '@anyclass/files';
import { npyHeader } from '../../data/features/npy.js';
import { safetensorsHeader } from '../../data/features/safetensorsMatrix.js';
import { UsageError } from '../../errors/usageError.js';
import { UserError } from '../../errors/userError.js';
import { draftOutput } from '../../files/outputs.js';
import type { FeatureFile, FeatureFileOptions, FeatureRow } from './featureRow.js';
import { parquetDraft } from './parquetDraft.js';

const featureKinds = ['.csv', '.parquet', '.npy', '.safetensors'] as const;
type FeatureKind = (typeof featureKinds)[number];

/** Returns the file format that the extension of a path stands for. */
export function featureKind(out: string): FeatureKind {
  const extension = extname(out).toLowerCase();
  const kind = featureKinds.find((known) => known === extension);
  if (kind) return kind;
  throw new UsageError(`'${out}' ends in '${extension}'; expected ${featureKinds.join(', ')}`, 'out');
}

/** Returns the files to write for a path; a matrix comes with a table of labels. */
export function featureFiles(out: string): string[] {
  const kind = featureKind(out);
  return kind === '.npy' || kind === '.safetensors' ? [out, `${out.slice(0, -kind.length)}.csv`] : [out];
}

/**
 * Starts writing the files.
 *
 * @example
 * const file = createFeatureFile('features.parquet', { classes: ['crack'], hasGroups: false, width: 512 });
 * file.add(rows);
 * file.finish();
 */
export function createFeatureFile(out: string, options: FeatureFileOptions): FeatureFile {
  refuseNames(options.classes);
  const kind = featureKind(out);
  const files = featureFiles(out);
  if (kind === '.parquet') return parquetDraft(out, options);
  const [matrixPath, tablePath] = kind === '.csv' ? [undefined, out] : [out, files[1]!];
  const table = draftOutput('out', tablePath);
  const withFeatures = matrixPath === undefined;
  const matrix = matrixPath === undefined ? undefined : matrixDraft(matrixPath, kind, options.width);
  table.write(headerLine(options, withFeatures));
  return {
    files,
    add(rows) {
      table.write(rows.map((row) => line(row, options, withFeatures)).join(''));
      matrix?.add(rows);
    },
    finish() {
      matrix?.finish(); // first, because a table without its matrix would look like a table of images
      table.finish();
    },
    discard() {
      if (matrix) discardQuietly(matrix.draft);
      discardQuietly(table);
    },
  };
}

/** Throws if a class has the name of a column with another meaning. */
function refuseNames(classes: readonly string[]): void {
  const taken = classes.find((name) => /^(filename|split|group|features?([_.:\- ]?\d+)?)$/i.test(name));
  if (taken !== undefined) {
    throw new UserError(
      `class '${taken}' has the name of another column of the file; exclude the class with data.drop`,
    );
  }
}

function headerLine({ classes, hasGroups, width }: FeatureFileOptions, withFeatures: boolean): string {
  const features = withFeatures ? Array.from({ length: width }, (_, i) => `feature_${i}`) : [];
  const cells = ['Filename', 'split', ...(hasGroups ? ['group'] : []), ...classes.map(quoted), ...features];
  return `${cells.join(',')}\n`;
}

function line(row: FeatureRow, { hasGroups }: FeatureFileOptions, withFeatures: boolean): string {
  const { name, split, group, labels, features } = row;
  const cells = [
    quoted(name),
    split,
    ...(hasGroups ? [quoted(group ?? '')] : []),
    ...Array.from(labels, (label) => (Number.isNaN(label) ? '' : String(label))),
    ...(withFeatures ? features : []),
  ];
  return `${cells.join(',')}\n`;
}

function quoted(text: string): string {
  return /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface MatrixDraft {
  readonly draft: FileDraft;
  add(rows: readonly FeatureRow[]): void;
  finish(): void;
}

/** Writes a matrix. Its header holds the number of rows, so it is rewritten at the end. */
function matrixDraft(path: string, kind: FeatureKind, width: number): MatrixDraft {
  const draft = draftOutput('out', path);
  const headerOf = kind === '.npy' ? npyHeader : safetensorsHeader;
  let rows = 0;
  draft.write(headerOf(rows, width));
  return {
    draft,
    add(added) {
      for (const { features } of added) {
        draft.write(new Uint8Array(features.buffer, features.byteOffset, features.byteLength));
      }
      rows += added.length;
    },
    finish() {
      const file = openSync(draft.path, 'r+');
      writeSync(file, headerOf(rows, width), 0, undefined, 0);
      closeSync(file);
      draft.finish();
    },
  };
}
