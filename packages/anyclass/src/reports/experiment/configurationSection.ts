import { resultFields } from '../../configuration/dottedFields.js';
import type { Run } from '../../experiments/readRuns.js';
import type { Cell, Table } from '../../tables/index.js';
import type { ReportSection } from './material.js';

/** Returns a table of the runs with the fields in which they differ. */
export function configurationSection(runs: readonly Run[]): ReportSection {
  const fields = runs.map(({ configuration }) => resultFields(configuration));
  const names = [...new Set(fields.flatMap((each) => [...each.keys()]))];
  const differing = names.filter((name) => new Set(fields.map((each) => each.get(name))).size > 1);
  const table: Table = {
    title: 'Runs',
    note:
      runs.length > 1
        ? `${differing.length} fields differ; the other ${names.length - differing.length} are the same in all runs. Each run's config.json has all fields.`
        : "The run's config.json has all fields.",
    columns: [
      { title: 'run', kind: 'text' },
      { title: 'epochs', kind: 'count' },
      { title: 'best epoch', kind: 'count' },
      ...differing.map((title) => ({ title, kind: 'text' }) as const),
    ],
    rows: runs.map(({ folder, summary }, i): Cell[] => [
      folder,
      summary.epochs,
      summary.bestEpoch,
      ...differing.map((name) => unquoted(fields[i]!.get(name))),
    ]),
  };
  return {
    name: 'configurations',
    title: 'Configurations',
    items: [{ kind: 'table', table: { name: 'configurations', table } }],
  };
}

function unquoted(json: string | undefined): string {
  return json === undefined ? '–' : json.replace(/^"(.*)"$/, '$1');
}
