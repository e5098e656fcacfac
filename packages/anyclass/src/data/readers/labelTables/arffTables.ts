// Multi-label tables of Mulan (labels listed in an XML file) and MEKA (number of labels
// in the relation's name).

import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { SaxesParser } from 'saxes';
import { inflected } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { shownPath } from '../../../files/shownPath.js';
import { absentImages } from '../../dataset/absentImages.js';
import type { DatasetTable, Remark } from '../../dataset/dataset.js';
import { arffFeatures } from '../../features/arffFeatures.js';
import { featureTable } from '../../features/featureTable.js';
import { ROW_NAME } from '../../features/tableFeatures.js';
import { fileImages, folderByRow } from '../../images/storage/fileImages.js';
import { type ArffHeader, readArff } from '../../tables/arff.js';
import { targetIn } from '../../tables/labelCells.js';
import { specialColumns, tableLayout } from '../../tables/tableLayout.js';
import { readText } from '../../tables/textFile.js';
import { imageNaming, rowNaming } from '../imageNames.js';
import { splitFromFileName } from '../splitWords.js';
import { type CsvTableOptions, nameOfTables } from './csvTables.js';
import { tableCollector } from './tableCollector.js';

/**
 * Reads a dataset from ARFF files. The labels are listed in Mulan's XML file next to them, counted by MEKA's
 * `-C`, or all attributes of 0 and 1. A string attribute called image or path names images; without one, rows
 * are feature vectors of all attributes that are not labels.
 *
 * @example
 * await readArffTables(['scene-train.arff', 'scene-test.arff'], {})
 */
export async function readArffTables(
  paths: readonly string[],
  options: CsvTableOptions,
): Promise<DatasetTable> {
  const table = tableCollector(options);
  const features = featureTable();
  const passedOver = new Set<string>();
  const parts: { firstRow: number; folder: string }[] = [];
  let first: string | undefined;
  let hasImages = false;
  for (const path of paths) {
    const file = basename(path);
    const labels = await mulanLabels(path);
    const folder = options.imageFolder ?? dirname(path);
    parts.push({ firstRow: table.rows, folder });
    const rowsBefore = table.rows;
    await readArff(path, (header) => {
      const classes = options.classes ?? labels ?? labelAttributes(header, file);
      const image = options.imageColumn ?? header.attributes.find(isImageAttribute)?.name;
      hasImages = image !== undefined;
      const columns = header.attributes.map(({ name }) => name);
      const shape = `${image === undefined ? 'features' : 'images'} and the classes ${classes.join(', ')}`;
      first ??= shape;
      if (shape !== first) throw new DataError(`${file}: ${shape}, but ${basename(paths[0]!)} has ${first}`);
      const layout = tableLayout(image === undefined ? [...columns, ROW_NAME] : columns, file, {
        ...options,
        imageColumn: image ?? ROW_NAME,
        classes: options.keep ?? classes,
      });
      table.startFile({
        layout,
        placeOf: (line) => `${file}, line ${line}`,
        naming: image === undefined ? rowNaming : imageNaming(folder),
        split: paths.length > 1 ? splitFromFileName(file) : undefined,
        isMergeable: image !== undefined,
      });
      if (image !== undefined) return (cells, line) => table.add(cells, line);
      const { image: _, others } = specialColumns(columns, options);
      const vector = arffFeatures(header.attributes, [...others, ...classes, ...(labels ?? [])]);
      for (const name of vector.passedOver) passedOver.add(name);
      features.startFile(file, vector.names);
      return (cells, line) => {
        table.add([...cells, `${file}#${table.rows - rowsBefore}`], line);
        features.add(vector.values(cells, () => `${file}, line ${line}`));
      };
    });
  }
  const { groups, fixedSplits, sourceRow, ...collected } = table.finish(nameOfTables(paths));
  const folderOf = folderByRow(parts);
  const name = nameOfTables(paths);
  const remarks = passedOver.size === 0 ? [] : [textRemark([...passedOver])];
  return {
    name,
    ...collected,
    remarks: [...collected.remarks, ...remarks],
    ...(hasImages
      ? { images: fileImages(collected.names, (image) => folderOf(sourceRow(image))) }
      : { images: absentImages(`${name} has features, not images`), features: features.finish() }),
    ...(groups && { groups }),
    ...(fixedSplits && { fixedSplits }),
  };
}

function textRemark(names: readonly string[]): Remark {
  return {
    text: inflected(
      names.length,
      'text or date attribute is not a feature and was skipped',
      'text or date attributes are not features and were skipped',
    ),
    count: names.length,
    examples: names.slice(0, 10),
  };
}

/** The labels that `scene.xml` lists for `scene.arff`, `scene-train.arff`, and `scene-test.arff`. */
async function mulanLabels(path: string): Promise<string[] | undefined> {
  const stem = basename(path, extname(path));
  const lists = [stem, stem.replace(/[-_](train|test|val|valid|validation)$/i, '')];
  const list = lists.map((name) => join(dirname(path), `${name}.xml`)).find((file) => existsSync(file));
  if (list === undefined) return undefined;
  const names: string[] = [];
  const parser = new SaxesParser();
  const fail = (reason: string): never => {
    throw new DataError(`${shownPath(list)}, line ${parser.line}: ${reason}`);
  };
  parser.on('error', (error) => fail(`not well-formed XML: ${reasonOf(error).replace(/^\d+:\d+: /, '')}`));
  parser.on('doctype', () => fail('a DOCTYPE is not allowed in a list of labels'));
  parser.on('opentag', ({ name, attributes }) => {
    if (name !== 'label') return;
    const label = attributes['name'];
    if (label === undefined || label === '') fail('a <label> without a name');
    else if (names.includes(label)) fail(`label '${label}' appears twice`);
    else names.push(label);
  });
  parser.write(await readText(list, 4 << 20)).close();
  if (names.length === 0)
    throw new DataError(`${shownPath(list)}: no <label>; expected Mulan's list of labels`);
  return names;
}

/**
 * The labels by MEKA's `-C 6` (the first six attributes) or `-C -6` (the last six), or else
 * all attributes of 0 and 1.
 */
function labelAttributes({ relation, attributes }: ArffHeader, file: string): string[] {
  const names = attributes.map(({ name }) => name);
  const count = Number(/-C\s+(-?\d+)/i.exec(relation)?.[1] ?? 0);
  if (count !== 0) return count > 0 ? names.slice(0, count) : names.slice(count);
  const binary = attributes.filter(({ kind, values }) => kind === 'nominal' && values.every(isZeroOrOne));
  if (binary.length > 0) return binary.map(({ name }) => name);
  throw new DataError(
    `${file}: no {0,1} attribute; put Mulan's list of labels next to it, or name the labels in data.classes`,
  );
}

function isZeroOrOne(value: string): boolean {
  const target = targetIn(value);
  return target === 0 || target === 1;
}

function isImageAttribute({ name, kind }: ArffHeader['attributes'][number]): boolean {
  return kind === 'string' && /^(image|file|path)([-_ ]?(name|path|id))?$/i.test(name);
}
