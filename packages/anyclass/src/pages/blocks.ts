// Tables and figures in a page, each with what it takes to use it elsewhere.

import { themed } from '../charts/palette.js';
import { escaped } from '../tables/escaped.js';
import { htmlTable, type ReportTable, type Table, tableTexts } from '../tables/index.js';

/** A figure and what its file is called. */
export interface Figure {
  readonly name: string;
  readonly title: string;
  /** In the palette's light colors. */
  readonly svg: string;
  /** Wider than a phone: it is scrolled there, not shrunk. */
  readonly isWide?: boolean;
}

/** A page with more rows is slow to open: 10,000 classes would take 8 MB. */
const mostRows = 1000;

/**
 * A table with its note, to copy or to save as CSV, Markdown and LaTeX. Of more than 1,000 rows the first are shown, with a remark.
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
  const remark = `The first ${shown} of ${all} rows are shown; --json of inspect and evaluate, and summary.json of a run, have all of them.`;
  return { ...table, rows: rows.slice(0, mostRows), note: note === undefined ? remark : `${note} ${remark}` };
}

/** What a page says in a sentence or two, before everything else; `isDoubtful` where there is a reservation. */
export function verdictBlock(text: string, isDoubtful = false): string {
  return `<p class="verdict${isDoubtful ? ' doubtful' : ''}">${escaped(text)}</p>`;
}

/** A figure that follows the page's colors; saved, it has the light ones. */
export function figureBlock({ name, title, svg, isWide = false }: Figure): string {
  return `<div class="block${isWide ? ' wide' : ''}" data-name="${escaped(name)}">
<p class="title">${escaped(title)}</p>
<div class="scroll"${isWide ? ' tabindex="0"' : ''}>${themed(svg)}</div>
<p class="actions">Save ${button('save', 'svg', 'SVG')}</p></div>`;
}

/** Figures side by side where there is room. */
export function figureRow(figures: readonly Figure[]): string {
  return `<div class="charts">${figures.map(figureBlock).join('\n')}</div>`;
}

/**
 * Panels of which one is shown. `name` is unique in its page.
 *
 * @example
 * choice('class-metric', 'Figure', [{ title: 'AP', html: '…' }, { title: 'F1', html: '…' }])
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
