// Tables and charts of a page, each with buttons to copy or save it.

import { themed } from '../charts/palette.js';
import { escaped } from '../tables/escaped.js';
import { htmlTable, type ReportTable, type Table, tableTexts } from '../tables/index.js';

/** A chart and the name of its file. */
export interface Chart {
  readonly name: string;
  readonly title: string;
  /** The SVG, in the palette's light colors. */
  readonly svg: string;
  /** Whether it is too wide for a phone, where it then scrolls instead of shrinking. */
  readonly isWide?: boolean;
}

/** The most rows in a table. A page with more is slow to open: 10,000 classes would take 8 MB. */
const mostRows = 1000;

/**
 * Returns a table with its note, and buttons to copy or save it as CSV, Markdown and LaTeX. Of more than
 * 1,000 rows, only the first are shown, with a remark.
 *
 * @example
 * tableBlock({ name: 'results', table: comparisonTable })
 */
export function tableBlock({ name, table: whole }: ReportTable): string {
  const table = shortened(whole);
  const texts = Object.entries(tableTexts(table));
  const areas = texts.map(
    // A first line break after the tag would be dropped.
    ([kind, text]) => `<textarea name="${kind}" hidden readonly>\n${escaped(text)}</textarea>`,
  );
  const buttons = (act: string) => texts.map(([kind]) => button(act, kind, formatNames[kind]!)).join(' ');
  return `<div class="block" data-name="${escaped(name)}"><div class="scroll" tabindex="0">${htmlTable(table)}</div>
${table.note === undefined ? '' : `<p class="note">${escaped(table.note)}</p>`}
<p class="actions">Copy ${buttons('copy')} Save ${buttons('save')}</p>
${areas.join('\n')}</div>`;
}

function shortened(table: Table): Table {
  const { rows, note } = table;
  if (rows.length <= mostRows) return table;
  const [shown, all] = [mostRows, rows.length].map((count) => count.toLocaleString('en-US'));
  const remark = `Only the first ${shown} of ${all} rows are shown; the result as JSON, or a run's summary.json, has all of them.`;
  return { ...table, rows: rows.slice(0, mostRows), note: note === undefined ? remark : `${note} ${remark}` };
}

/**
 * Returns the verdict of a page, a sentence or two before everything else; `isDoubtful` if there is a
 * reservation.
 */
export function verdictBlock(text: string, isDoubtful = false): string {
  return `<p class="verdict${isDoubtful ? ' doubtful' : ''}">${escaped(text)}</p>`;
}

/** Returns a chart that follows the page's theme; when saved, it has the light colors. */
export function chartBlock({ name, title, svg, isWide = false }: Chart): string {
  return `<div class="block${isWide ? ' wide' : ''}" data-name="${escaped(name)}">
<p class="title">${escaped(title)}</p>
<div class="scroll"${isWide ? ' tabindex="0"' : ''}>${themed(svg)}</div>
<p class="actions">Save ${button('save', 'svg', 'SVG')}</p></div>`;
}

/** Places charts side by side if there is room. */
export function chartRow(charts: readonly Chart[]): string {
  return `<div class="charts">${charts.map(chartBlock).join('\n')}</div>`;
}

/**
 * Returns panels of which one is shown at a time. `name` must be unique in the page.
 *
 * @example
 * choice('class-metric', 'Metric', [{ title: 'AP', html: '…' }, { title: 'F1', html: '…' }])
 */
export function choice(
  name: string,
  legend: string,
  panels: readonly { readonly title: string; readonly html: string }[],
): string {
  const inputs = panels.map(
    ({ title }, i) =>
      `<label><input type="radio" name="${name}" value="${i}"${i === 0 ? ' checked' : ''}> ${escaped(title)}</label>`,
  );
  const contents = panels.map(({ html }, i) => `<div data-panel="${i}">${html}</div>`);
  return `<div class="choice"><fieldset><legend>${escaped(legend)}</legend>${inputs.join(' ')}</fieldset>
${contents.join('\n')}</div>`;
}

const formatNames: Readonly<Record<string, string>> = { csv: 'CSV', md: 'Markdown', tex: 'LaTeX' };

function button(act: string, kind: string, text: string): string {
  return `<button type="button" data-act="${act}" data-kind="${kind}">${text}</button>`;
}
