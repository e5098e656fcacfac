import { basename } from 'node:path';
import { DataError } from '../../../errors/dataError.js';
import { listed } from '../../../errors/listed.js';
import { parsedJson } from '../../../files/wholeFile.js';
import { absentImages } from '../../dataset/absentImages.js';
import type { DatasetTable } from '../../dataset/dataset.js';
import { featureColumns } from '../../features/featureColumns.js';
import { type FeatureTable, featureTable } from '../../features/featureTable.js';
import {
  columnVectors,
  listColumn,
  listVectors,
  type ParquetColumn,
  type ParquetVectors,
  parquetColumns,
} from '../../features/parquetFeatures.js';
import { ROW_NAME } from '../../features/tableFeatures.js';
import { openParquet, type ParquetFile } from '../../tables/parquet/parquetFile.js';
import { specialColumns, type TableOptions, tableLayout } from '../../tables/tableLayout.js';
import { rowNaming } from '../imageNames.js';
import { splitFromFileName } from '../splitWords.js';
import { nameOfTables } from './csvTables.js';
import { parquetImages } from './parquetImages.js';
import { LIST_SEPARATOR } from './separatedLabels.js';
import { tableCollector } from './tableCollector.js';

/**
 * Reads a dataset from Parquet files with feature vectors (a column of lists, or columns of numbers) or
 * with images (a column of bytes, or Hugging Face's struct of `bytes` and `path`). Labels are 0/1 columns,
 * a text of separated labels, or a list. Only the label columns and features are read here; images are read
 * from the files on demand.
 *
 * @example
 * const coco64 = await readParquetTables(['part-0.parquet', 'part-1.parquet'], {});
 * await coco64.images.read(0)
 */
export async function readParquetTables(
  paths: readonly string[],
  options: TableOptions,
): Promise<DatasetTable> {
  const files: ParquetFile[] = [];
  try {
    for (const path of paths) files.push(await openParquet(path));
    return await readLabels(files, options);
  } catch (error) {
    await Promise.all(files.map((file) => file.close()));
    throw error;
  }
}

async function readLabels(files: readonly ParquetFile[], options: TableOptions): Promise<DatasetTable> {
  const first = files[0]!;
  const schema = parquetColumns(first);
  const vectors = featuresIn(schema, basename(first.path), options);
  const features = featureTable();
  const image = vectors ? undefined : imageColumn(schema, basename(first.path));
  const table = tableCollector(options);
  const held = vectors ? vectors.columns : [image];
  const stored = schema.map((column) => column.name).filter((name) => !held.includes(name));
  const naming =
    options.imageColumn ?? stored.find((name) => /^(file_?name|filename|path|image_?id|id)$/i.test(name));
  // A table without names gets a column of them: file#row.
  const columns = naming === undefined ? [ROW_NAME, ...stored] : stored;
  const layout = tableLayout(columns, basename(first.path), { ...options, imageColumn: naming ?? ROW_NAME });
  const used = usedColumns(layout);
  const wanted = columns.filter((name, i) => used.has(i) && name !== ROW_NAME);
  const read = [...wanted, ...(vectors?.columns ?? [])];
  const classNames = listClassNames(first);
  for (const file of files) {
    const name = basename(file.path);
    const there = parquetColumns(file).map((column) => column.name);
    const absent = [...held, ...wanted].filter((column) => column !== undefined && !there.includes(column));
    if (absent.length > 0) {
      throw new DataError(`${name}: no column '${absent[0]}', which ${basename(first.path)} has`);
    }
    const placeOf = (row: number) => `${name}, row ${row}`;
    const split = files.length > 1 ? splitFromFileName(name) : undefined;
    table.startFile({ layout, placeOf, naming: rowNaming, split, isMergeable: false });
    for (let g = 0; g + 1 < file.groupStarts.length; g++) {
      let row = file.groupStarts[g]!;
      for await (const rows of file.readGroup(g, read)) {
        for (const cells of rows) {
          const at = row++;
          const where = () => placeOf(at);
          table.add(
            columns.map((column) =>
              column === ROW_NAME ? `${name}#${at}` : cellText(cells[column], classNames, where),
            ),
            at,
          );
          vectors?.take(features, cells, where);
        }
      }
    }
  }
  const {
    groups,
    fixedSplits,
    sourceRow: _,
    ...collected
  } = table.finish(nameOfTables(files.map((file) => file.path)));
  return {
    name: nameOfTables(files.map((file) => file.path)),
    ...collected,
    ...(image === undefined ? await vectorsAlone(files, features) : { images: parquetImages(files, image) }),
    ...(groups && { groups }),
    ...(fixedSplits && { fixedSplits }),
  };
}

/** Closes the files: the features are in memory once all rows are read. */
async function vectorsAlone(
  files: readonly ParquetFile[],
  features: FeatureTable,
): Promise<Pick<DatasetTable, 'images' | 'features'>> {
  for (const file of files) await file.close();
  const name = nameOfTables(files.map((file) => file.path));
  return { images: absentImages(`${name} has features, not images`), features: features.finish() };
}

/**
 * The feature columns: those that are named, a column of lists, or feature_0,
 * feature_1…; undefined for images.
 */
function featuresIn(
  schema: readonly ParquetColumn[],
  file: string,
  options: TableOptions,
): ParquetVectors | undefined {
  const { featureColumns: chosen } = options;
  const names = schema.map(({ name }) => name);
  const isList = (column: string | undefined) =>
    schema.some(({ name, kind }) => name === column && kind === 'numbers');
  const list = chosen?.length === 1 && isList(chosen[0]) ? chosen[0] : undefined;
  const hasImages = schema.some(({ kind }) => kind === 'bytes');
  if (list === undefined && chosen === undefined && hasImages) return undefined;
  const found = list ?? (chosen === undefined ? listColumn(schema) : undefined);
  if (found !== undefined) return listVectors(found, file);
  const { image, others } = specialColumns(names, options);
  const special = [image ?? '', ...others, ...(options.classes ?? []), ...(options.keep ?? [])];
  const indices = featureColumns(names, chosen, special, file);
  return indices.length === 0
    ? undefined
    : columnVectors(
        indices.map((i) => names[i]!),
        file,
      );
}

function imageColumn(columns: readonly ParquetColumn[], file: string): string {
  const images = columns.filter(({ kind }) => kind === 'bytes');
  const named = images.find((column) => column.name === 'image') ?? images[0];
  if (!named) {
    throw new DataError(
      `${file}: no column of images (bytes, or a struct of bytes and path) or features (a list called 'features', or columns named in data.columns.features); found ${listed(
        columns.map((column) => column.name),
        24,
      )}`,
    );
  }
  return named.name;
}

function usedColumns({
  image,
  labels,
  group,
  split,
}: ReturnType<typeof tableLayout>): Set<number | undefined> {
  return new Set([
    image,
    group?.index,
    split,
    ...(labels.kind === 'columns' ? labels.columns : [labels.column, labels.value]),
  ]);
}

/** The names for a list of class numbers, from the metadata that Hugging Face writes into the file. */
function listClassNames(file: ParquetFile): readonly string[] | undefined {
  const text = file.metadata.key_value_metadata?.find(({ key }) => key === 'huggingface')?.value;
  const names = text === undefined ? undefined : /"names"\s*:\s*(\[[^\]]*\])/.exec(text)?.[1];
  if (names === undefined) return undefined;
  const parsed = parsedJson(names);
  if (!Array.isArray(parsed))
    throw new DataError(`${basename(file.path)}: the class names in its metadata are damaged`);
  return parsed.map(String);
}

function cellText(value: unknown, classNames: readonly string[] | undefined, where: () => string): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) {
    const labels = value.map((item) => {
      if (item === null || item === undefined) throw new DataError(`${where()}: a list has an empty cell`);
      return typeof item === 'string' ? item : (classNames?.[Number(item)] ?? String(item));
    });
    // Also at the start, so that a list with a single class number is not taken for 0 or 1.
    return labels.map((label) => LIST_SEPARATOR + label).join('');
  }
  throw new DataError(`${where()}: a cell is of type ${typeof value}; expected text, a number, or a list`);
}
