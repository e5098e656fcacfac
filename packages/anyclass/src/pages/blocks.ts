// Tables and charts of a page, each with buttons to copy or save it.

import { escaped, note, verbatim } from '@anyclass/kit';
import { htmlTable, type ReportTable, type Table, tableTexts } from '../tables/index.js';

/** A chart and the name of its file. */
export interface Chart {
  readonly name: string;
  readonly title: string;
  /** SVG. */
  readonly svg: string;
  /** Said below it. */
  readonly note?: string;
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
    ([kind, text]) => `<textarea name="${kind}" hidden readonly>\n${verbatim(text)}</textarea>`,
  );
  const buttons = (act: string) => texts.map(([kind]) => button(act, kind, formatNames[kind]!)).join(' ');
  return `<div class="block" data-name="${escaped(name)}"><div class="scroll" tabindex="0" role="region" aria-label="${escaped(table.title || name)}">${htmlTable(table)}</div>
${table.note === undefined ? '' : note(table.note)}
<p class="actions"><span>Copy ${buttons('copy')}</span> <span>Save ${buttons('save')}</span></p>
${areas.join('\n')}</div>`;
}

/** Returns a chart that follows the page's theme; when saved, it has the light colors. */
export function chartBlock({ name, title, svg, note: text }: Chart): string {
  return `<div class="block" data-name="${escaped(name)}">
<h3>${escaped(title)}</h3>
${svg.includes(' data-wide>') ? `<div class="scroll" tabindex="0" role="region" aria-label="${escaped(title)}">${svg}</div>` : svg}
${text === undefined ? '' : note(text)}
<p class="actions">Save ${button('save', 'svg', 'SVG')}</p></div>`;
}

/** Places charts side by side if there is room. */
export function chartRow(charts: readonly Chart[]): string {
  return `<div class="columns ${charts.length > 2 ? 'three' : 'two'}">${charts.map((chart) => `<div>${chartBlock(chart)}</div>`).join('\n')}</div>`;
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
  return `<div class="choose"><fieldset><legend>${escaped(legend)}</legend>${inputs.join(' ')}</fieldset>
${contents.join('\n')}</div>`;
}

function shortened(table: Table): Table {
  const { rows, note: text } = table;
  if (rows.length <= mostRows) return table;
  const [shown, all] = [mostRows, rows.length].map((count) => count.toLocaleString('en-US'));
  const remark = `Only the first ${shown} of ${all} rows are shown; the result as JSON, or a run's summary.json, has all of them.`;
  return { ...table, rows: rows.slice(0, mostRows), note: text === undefined ? remark : `${text} ${remark}` };
}

const formatNames: Readonly<Record<string, string>> = { csv: 'CSV', md: 'Markdown', tex: 'LaTeX' };

function button(act: string, kind: string, text: string): string {
  return `<button type="button" class="button quiet-button" data-act="${act}" data-kind="${kind}">${text}</button>`;
}
