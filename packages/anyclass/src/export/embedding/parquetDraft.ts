import { discardQuietly } from '@anyclass/files';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { draftOutput } from '../../files/outputs.js';
import type { FeatureFile, FeatureFileOptions, FeatureRow } from './featureRow.js';

/** Feature values per row group; readers hold one group at a time. */
const groupNumbers = 1 << 22;

/**
 * Starts writing a Parquet file with the columns `Filename`, `split`, `group` if there are groups, a number
 * for each class (null for unknown), and a list `features`.
 *
 * @example
 * const file = parquetDraft('features.parquet', { classes: ['crack'], hasGroups: false, width: 512 });
 */
export function parquetDraft(out: string, options: FeatureFileOptions): FeatureFile {
  const { classes, hasGroups, width } = options;
  const draft = draftOutput('out', out);
  const writer = new ByteWriter();
  /** Writes what the library has encoded so far and reuses its buffer. */
  const flush = () => {
    draft.write(writer.getBytes());
    writer.index = 0;
  };
  const parquet = new ParquetWriter({ writer, schema: schemaOf(options) });
  let rows: FeatureRow[] = [];
  const rowsPerGroup = Math.max(1, Math.floor(groupNumbers / width));
  const writeGroup = () => {
    if (rows.length === 0) return;
    void parquet.write({
      rowGroupSize: rows.length,
      columnData: [
        { name: 'Filename', data: rows.map(({ name }) => name) },
        { name: 'split', data: rows.map(({ split }) => split) },
        ...(hasGroups ? [{ name: 'group', data: rows.map(({ group }) => group ?? '') }] : []),
        ...classes.map((name, j) => ({
          name,
          data: rows.map(({ labels }) => (Number.isNaN(labels[j]!) ? null : labels[j]!)),
        })),
        { name: 'features', data: rows.map(({ features }) => Array.from(features)) },
      ],
    });
    rows = [];
    flush();
  };
  return {
    files: [out],
    add(added) {
      // Copied, because the caller reuses the memory of the rows.
      for (const row of added) {
        rows.push({ ...row, features: row.features.slice(), labels: Float32Array.from(row.labels) });
        if (rows.length >= rowsPerGroup) writeGroup();
      }
    },
    finish() {
      writeGroup();
      void parquet.finish();
      flush();
      draft.finish();
    },
    discard: () => discardQuietly(draft),
  };
}

function schemaOf({ classes, hasGroups }: FeatureFileOptions): SchemaElement[] {
  const text = (name: string): SchemaElement => ({
    name,
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    repetition_type: 'REQUIRED',
  });
  const columns: SchemaElement[] = [
    text('Filename'),
    text('split'),
    ...(hasGroups ? [text('group')] : []),
    ...classes.map((name): SchemaElement => ({ name, type: 'FLOAT', repetition_type: 'OPTIONAL' })),
  ];
  return [
    { name: 'root', num_children: columns.length + 1 },
    ...columns,
    { name: 'features', num_children: 1, converted_type: 'LIST', repetition_type: 'REQUIRED' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { name: 'element', type: 'FLOAT', repetition_type: 'REQUIRED' },
  ];
}
