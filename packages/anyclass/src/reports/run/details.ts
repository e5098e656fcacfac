// What a reviewer looks up: all metrics, classes, data, configuration, environment, and the commands to repeat it.

import { command, escaped, facts, folded, note } from '@anyclass/kit';
import { changedFields } from '../../configuration/changedFields.js';
import { type Dataset, instanceWord, splitNames } from '../../data/dataset/dataset.js';
import { counted } from '../../errors/counted.js';
import type { Judgment } from '../../events/judgment.js';
import type { Quarantined, RunSummary } from '../../events/runSummary.js';
import { tableBlock } from '../../pages/blocks.js';
import type { Section } from '../../pages/page.js';
import type { RunRecord } from '../../runs/runFolder.js';
import type { Cell, Table } from '../../tables/index.js';
import { classTable, metricTable } from '../metricTables.js';

/** The tables of a judgment, folded; also on the page of `evaluate`. */
export function judgmentDetails(judged: Judgment): string[] {
  const { classNames } = judged.metrics;
  return [
    folded(
      'All metrics',
      'with intervals where they were computed',
      tableBlock({ name: 'results', table: metricTable(judged) }),
    ),
    `<div id="by-class">${folded('By class', `${classNames.length} classes: present, AP, F1, precision, recall, threshold`, tableBlock({ name: 'classes', table: classTable(judged) }))}</div>`,
  ];
}

export function detailsSection(
  judged: Judgment,
  record: RunRecord,
  summary: RunSummary,
  curves: string,
  dataset: Dataset | undefined,
): Section {
  const versions = Object.entries(record.versions).map(([name, version]) => `${name} ${version}`);
  return {
    name: 'details',
    title: 'Details',
    link: 'All metrics',
    parts: [
      ...judgmentDetails(judged),
      folded('Curves', 'metrics against the threshold, precision against recall', curves),
      ...(dataset
        ? [folded('Data', dataset.splitOrigin, tableBlock({ name: 'splits', table: splitTable(dataset) }))]
        : []),
      ...unreadable(summary.quarantined),
      ...(summary.guard
        ? [
            folded(
              'Odd images',
              'what the guard reviews instead of clearing',
              tableBlock({ name: 'odd', table: oddTable(summary.guard) }),
            ),
          ]
        : []),
      folded(
        'Configuration',
        'what differs from the defaults, then everything',
        `${command(JSON.stringify(changedFields(record.configuration), null, 2))}${folded('Complete', '', command(JSON.stringify(record.configuration, null, 2)))}`,
      ),
      folded(
        'Environment',
        versions.join(', '),
        facts([
          ['Started', escaped(`${record.started.slice(0, 16).replace('T', ' ')} UTC`)],
          ['Dataset', escaped(`${summary.dataset}, fingerprint ${record.datasetFingerprint}`)],
          ...(record.distribution
            ? [['Processes', `${record.distribution.worldSize}, ${record.distribution.backend}`] as const]
            : []),
        ]),
      ),
    ],
  };
}

/** Commands with the folder of the run filled in. */
export function repeatSection(
  folder: string,
  budget: number | undefined,
  instance: 'image' | 'row',
): Section {
  const other = budget === undefined || budget > 0.02 ? '0.02' : String(2 * budget);
  const cell = (title: string, text: string) => `<div><h3>${title}</h3>${command(text)}</div>`;
  const run = /^[\w./=-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
  return {
    name: 'repeat',
    title: 'Repeat it, change it, use it',
    link: 'Repeat it',
    parts: [
      `<div class="columns three">${[
        cell('The same run', `npx anyclass train config.json --run ${run}-again`),
        cell(
          'Another budget, without retraining',
          `npx anyclass evaluate ${run} --false-alarms ${other} --html budget.html`,
        ),
        cell(
          `Label new ${instance}s`,
          `npx anyclass predict ${run} ${instance === 'image' ? 'photos' : 'table.csv'} --out labels.csv`,
        ),
      ].join('')}</div>`,
      note('Save the complete configuration above as config.json.'),
    ],
  };
}

function splitTable(dataset: Dataset): Table {
  const { splits, labels } = dataset;
  const rows = splitNames
    .filter((name) => splits[name].length > 0)
    .map((name): Cell[] => {
      const kinds = Array.from(splits[name], (row) => labels.presence(row));
      const count = (kind: string) => kinds.filter((own) => own === kind).length;
      return [name, kinds.length, count('positive'), count('negative')];
    });
  return {
    title: '',
    columns: [
      { title: 'split', kind: 'text' },
      { title: `${instanceWord(dataset)}s`, kind: 'count' },
      { title: 'positive', kind: 'count' },
      { title: 'negative', kind: 'count' },
    ],
    rows,
  };
}

/** How often the guard calls an image odd, by reason. */
function oddTable({ quantile, validation, test }: NonNullable<RunSummary['guard']>): Table {
  const splits = [['validation', validation] as const, ...(test ? [['test', test] as const] : [])];
  const reasons = [...new Set(splits.flatMap(([, { reasons: found }]) => Object.keys(found)))];
  const counts = splits.map(([, { reasons: found }]) => new Map(Object.entries(found)));
  return {
    title: '',
    note: `Each bound is what ${100 * quantile}% of validation keeps. An odd image is never cleared, and an alarm stays an alarm.`,
    columns: [
      { title: 'reason', kind: 'text' },
      ...splits.map(([name, { images }]) => ({ title: `${name}, of ${images}`, kind: 'count' }) as const),
    ],
    rows: [
      ...reasons.map((reason): Cell[] => [reason, ...counts.map((found) => found.get(reason) ?? 0)]),
      ['all', ...splits.map(([, { odd }]) => odd)],
    ],
  };
}

/** The images that could not be read: they were excluded, so no metric includes them. */
export function unreadable(quarantined: readonly Quarantined[]): string[] {
  if (quarantined.length === 0) return [];
  const table: Table = {
    title: '',
    note: 'Excluded from training and from all metrics on this page, and not replaced by other images.',
    columns: [
      { title: 'image', kind: 'text' },
      { title: 'reason', kind: 'text' },
    ],
    rows: quarantined.map(({ name, reason }) => [name, reason]),
  };
  const title = counted(quarantined.length, 'unreadable image');
  return [
    folded(title, 'names and reasons', tableBlock({ name: 'unreadable', table }), quarantined.length <= 20),
  ];
}
