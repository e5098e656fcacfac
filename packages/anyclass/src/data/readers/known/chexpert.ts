// CheXpert. Irvin et al., "CheXpert: A Large Chest Radiograph Dataset with Uncertainty Labels and Expert
// Comparison", AAAI 2019. As in the paper, a finding that the report does not mention is absent; -1 is
// uncertain and is read according to `uncertain`.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inflected } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import type { DatasetTable, SplitName } from '../../dataset/dataset.js';
import { fileImages } from '../../images/storage/fileImages.js';
import { readCsv } from '../../tables/csv.js';
import { tableLayout } from '../../tables/tableLayout.js';
import { imageNaming } from '../imageNames.js';
import type { CsvTableOptions } from '../labelTables/csvTables.js';
import { tableCollector } from '../labelTables/tableCollector.js';
import { chestPreparation } from './chestxray14.js';

/** All observations except 'No Finding', which is their absence. */
const chexpertClasses = [
  'Enlarged Cardiomediastinum',
  'Cardiomegaly',
  'Lung Opacity',
  'Lung Lesion',
  'Edema',
  'Consolidation',
  'Pneumonia',
  'Atelectasis',
  'Pneumothorax',
  'Pleural Effusion',
  'Pleural Other',
  'Fracture',
  'Support Devices',
] as const;

const files: readonly { readonly split: SplitName; readonly names: readonly string[] }[] = [
  { split: 'train', names: ['train.csv'] },
  { split: 'validation', names: ['valid.csv'] },
  { split: 'test', names: ['test.csv', 'test_labels.csv'] },
];

const PATIENT = 'patient';

/**
 * Reads CheXpert from `train.csv`, `valid.csv`, and `test.csv` (those that exist) in `root`, the unpacked
 * archive. If splits are drawn, rows of the same patient, given in each path, stay together.
 *
 * @example
 * (await readChexpert('CheXpert-v1.0-small', { uncertain: 'one' })).classes.length // 13
 */
export async function readChexpert(root: string, options: CsvTableOptions): Promise<DatasetTable> {
  const reading = { imageColumn: 'Path', groupColumn: PATIENT, ...options, classes: chexpertClasses };
  const table = tableCollector(reading);
  const folder = options.imageFolder ?? root;
  const belowFolder = imageNaming(folder);
  const contradicting: { count: number; examples: string[] } = { count: 0, examples: [] };
  for (const { split, names } of files) {
    const file = names.find((name) => existsSync(join(root, name)));
    if (file === undefined) continue;
    await readCsv(join(root, file), (columns) => {
      const layout = tableLayout([...columns, PATIENT], file, reading);
      const placeOf = (line: number) => `${file}, line ${line}`;
      table.startFile({
        layout,
        placeOf,
        // Paths start with the name of the archive.
        naming: (name, where) => belowFolder(name.replace(/^CheXpert-v1\.0[^/]*\//, ''), where),
        split,
        isMergeable: true,
      });
      const places = chexpertClasses.map((name) => columns.indexOf(name));
      const noFinding = columns.indexOf('No Finding');
      return (cells, line) => {
        const path = cells[layout.image]!;
        const patient = /(?:^|\/)(patient\d+)\//.exec(path)?.[1];
        if (patient === undefined && reading.groupColumn === PATIENT) {
          throw new DataError(`${placeOf(line)}: no patient in the path '${path}'`);
        }
        const read = [...cells, patient ?? ''];
        for (const place of places) if (read[place] === '') read[place] = '0';
        table.add(read, line);
        // Support devices are not findings.
        const findings = places.slice(0, -1).some((place) => Number(read[place]) === 1);
        if (!findings || Number(cells[noFinding]) !== 1) return;
        contradicting.count += 1;
        if (contradicting.examples.length < 10) contradicting.examples.push(`${path} (${placeOf(line)})`);
      };
    });
  }
  if (table.rows === 0) {
    throw new DataError(`${shownPath(root)}: no train.csv, valid.csv, or test.csv in this folder`);
  }
  const { sourceRow: _, groups, fixedSplits, ...collected } = table.finish('chexpert');
  const text = `${inflected(contradicting.count, 'row')} with 'No Finding' and a finding (the finding counts)`;
  return {
    name: 'chexpert',
    ...collected,
    images: fileImages(collected.names, () => folder),
    ...(groups && { groups }),
    ...(fixedSplits && {
      fixedSplits:
        options.splitColumn === undefined ? { ...fixedSplits, origin: "CheXpert's own files" } : fixedSplits,
    }),
    preparation: chestPreparation,
    remarks: [...collected.remarks, ...(contradicting.count > 0 ? [{ text, ...contradicting }] : [])],
  };
}
