// The parts of an HTML page that needs nothing beside it.

import { escaped } from './escaped.js';

/**
 * @example
 * page('runs/sewer', ['<h1>runs/sewer</h1>', table(['class', 'AP'], [['crack', '71.2']])])
 */
export function page(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
<main>
${parts.join('\n')}
</main>
</html>
`;
}

/** A table; cells are texts, not HTML. A header of empty cells is left out. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string) =>
    `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  const head = header.some((cell) => cell !== '') ? cells(header, 'th') : '';
  return `<table>${head}\n${rows.map((row) => cells(row, 'td')).join('\n')}</table>`;
}

/** A share as percent with two digits. */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : (100 * share).toFixed(2);
}

const style = `
body { margin: 0; background: #fff; color: #1c2430; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 980px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { margin: 0; overflow-wrap: anywhere; } h2 { margin: 40px 0 8px; border-bottom: 1px solid #dde3ea; padding-bottom: 4px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 8px 0; }
th, td { padding: 3px 14px 3px 0; text-align: right; } th:first-child, td:first-child { text-align: left; }
th { font-weight: 600; color: #5a6675; } tr + tr td { border-top: 1px solid #eef1f5; }
svg { max-width: 100%; height: auto; } .charts { display: flex; flex-wrap: wrap; gap: 12px; }
.note { color: #5a6675; } .problem { border-left: 4px solid #c0392b; padding-left: 12px; margin: 12px 0; }
.problem ul { margin: 4px 0 0; padding-left: 18px; color: #5a6675; overflow-wrap: anywhere; }
.fine { border-left: 4px solid #6aa84f; padding-left: 12px; }
.images { display: flex; flex-wrap: wrap; gap: 10px; margin: 4px 0 18px; }
figure { margin: 0; width: 128px; } figure img { width: 128px; height: 128px; background: #eef1f5; border-radius: 4px; }
figcaption { font-size: 11px; line-height: 1.3; color: #5a6675; overflow-wrap: anywhere; }`;
