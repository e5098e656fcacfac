import { resultFields } from '../../configuration/dottedFields.js';
import { counted } from '../../errors/counted.js';
import type { Run } from '../../experiments/readRuns.js';
import type { Cell, Table } from '../../tables/index.js';
import type { ReportSection } from './material.js';

/** Returns a table of the runs with the fields in which they differ. */
export function configurationSection(runs: readonly Run[]): ReportSection {
  const fields = runs.map(({ configuration }) => resultFields(configuration));
  const names = [...new Set(fields.flatMap((each) => [...each.keys()]))];
  const differing = names.filter((name) => new Set(fields.map((each) => each.get(name))).size > 1);
  const above = commonFolder(runs.map(({ folder }) => folder));
  const table: Table = {
    title: 'Runs',
    note:
      runs.length > 1
        ? `${counted(differing.length, 'field')} ${differing.length === 1 ? 'differs' : 'differ'}; the other ${names.length - differing.length} are the same in all runs. Each run's config.json has all fields.${above === '' ? '' : ` The runs are in ${above}.`}`
        : "The run's config.json has all fields.",
    columns: [
      { title: 'run', kind: 'text' },
      { title: 'epochs', kind: 'count' },
      { title: 'best epoch', kind: 'count' },
      ...differing.map((title) => ({ title, kind: 'text' }) as const),
    ],
    rows: runs.map(({ folder, summary }, i): Cell[] => [
      folder.slice(above.length),
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

/** The folder that all paths begin with, or ''. */
function commonFolder(paths: readonly string[]): string {
  const [first = ''] = paths;
  const parts = first.split('/').slice(0, -1);
  const folders = parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`);
  return folders.findLast((folder) => paths.every((path) => path.startsWith(folder))) ?? '';
}

function unquoted(json: string | undefined): string {
  return json === undefined ? '–' : json.replace(/^"(.*)"$/, '$1');
}
