import { cooccurrenceChart, distributionChart, labelsPerInstanceChart } from './charts.js';
import type { ImageStatistics, Inspection, Problem } from './inspection.js';
import type { SampleRow } from './samples.js';

/**
 * An inspection as one HTML page that needs nothing beside it: charts are SVG, sample images are in it.
 *
 * @example
 * await writeFile('inspection.html', inspectPage(inspection, await sampleImages(dataset, {})))
 */
export function inspectPage(inspection: Inspection, samples: readonly SampleRow[]): string {
  const { dataset, classes, splits, splitOrigin, lambda, familyCounts, images } = inspection;
  const all = splits.at(-1)!;
  const share = (100 * all.negative) / Math.max(1, all.positive + all.negative);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(dataset)}: inspection</title>
<style>${style}</style>
<main>
<h1>${escaped(dataset)}</h1>
<p>${number(all.total)} instances, ${classes.length} classes, ${share.toFixed(1)}% negative.</p>
<h2>Problems</h2>
${problemList(inspection.problems)}
<h2>Splits</h2>
${splitTable(inspection)}
<p class="note">${escaped(splitOrigin)}</p>
<h2>λ</h2>
<p>Try <b>${lambda.from} to ${lambda.to}</b>, beginning with <b>${lambda.start}</b>: ${escaped(lambda.reason)}.</p>
<h2>Classes</h2>
${distributionChart(inspection.classCounts)}
${classTable(inspection)}
${familyCounts.length > 0 ? `<h2>Groups of classes</h2>${distributionChart(familyCounts)}` : ''}
<h2>Labels per instance</h2>
${labelsPerInstanceChart(inspection)}
<h2>Co-occurrence</h2>
<p class="note">Where the row’s class is present, how often the column’s is too, in percent.</p>
${cooccurrenceChart(inspection)}
${images ? `<h2>Images</h2>${imageTable(images)}` : ''}
${samples.length > 0 ? `<h2>Samples</h2>${samples.map(sampleRow).join('\n')}` : ''}
</main>
</html>
`;
}

const style = `
body { margin: 0; background: #fff; color: #1c2430; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { margin: 0; } h2 { margin: 40px 0 8px; border-bottom: 1px solid #dde3ea; padding-bottom: 4px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 14px 3px 0; text-align: right; } th:first-child, td:first-child { text-align: left; }
th { font-weight: 600; color: #5a6675; } tr + tr td { border-top: 1px solid #eef1f5; }
svg { max-width: 100%; height: auto; }
.note { color: #5a6675; } .problem { border-left: 4px solid #c0392b; padding-left: 12px; margin: 12px 0; }
.problem ul { margin: 4px 0 0; padding-left: 18px; color: #5a6675; overflow-wrap: anywhere; }
.fine { border-left: 4px solid #6aa84f; padding-left: 12px; }
.samples { display: flex; flex-wrap: wrap; gap: 8px; margin: 4px 0 18px; }
figure { margin: 0; width: 112px; } figure img { width: 112px; height: 112px; background: #eef1f5; border-radius: 4px; }
figcaption { font-size: 11px; line-height: 1.3; color: #5a6675; overflow-wrap: anywhere; }`;

function problemList(problems: readonly Problem[]): string {
  if (problems.length === 0) return '<p class="fine">None found.</p>';
  return problems
    .map(({ text, count, examples }) => {
      const items = examples.slice(0, 10).map((example) => `<li>${escaped(example)}</li>`);
      return `<div class="problem"><b>${number(count)}</b> ${escaped(text)}<ul>${items.join('')}</ul></div>`;
    })
    .join('\n');
}

function splitTable({ splits, groupColumn }: Inspection): string {
  const header = ['split', 'positive', 'negative', 'unknown', 'total', ...(groupColumn ? [groupColumn] : [])];
  const rows = splits
    .filter(({ total }) => total > 0)
    .map(({ split, positive, negative, unknown, total, groups }) => [
      split,
      number(positive),
      number(negative),
      number(unknown),
      number(total),
      ...(groups === undefined ? [] : [number(groups)]),
    ]);
  return table(header, rows);
}

function classTable({ classCounts, balance }: Inspection): string {
  const rows = classCounts.map(({ name, train, validation, test }, j) => [
    name,
    number(train),
    number(validation),
    number(test),
    balance.classWeights[j]!.toPrecision(4),
  ]);
  rows.push(['(negative)', '', '', '', balance.negativeWeight.toPrecision(4)]);
  const header = ['class', 'train', 'validation', 'test', `weight (β ${balance.beta})`];
  return `<details><summary>Counts and class-balancing weights</summary>${table(header, rows)}</details>`;
}

function imageTable({ examined, of, width, height, sizes, mean, std }: ImageStatistics): string {
  const three = (values: readonly number[]) => values.map((value) => value.toFixed(3)).join(', ');
  return table(
    ['', ''],
    [
      ['examined', `${number(examined)} of ${number(of)}`],
      ['width', `${width.min} to ${width.max}, median ${width.median}`],
      ['height', `${height.min} to ${height.max}, median ${height.median}`],
      ['commonest', sizes.map(({ size, count }) => `${size} (${number(count)})`).join(', ')],
      ['channel mean', three(mean)],
      ['channel deviation', three(std)],
    ],
  );
}

function sampleRow({ title, images }: SampleRow): string {
  const figures = images.map(({ name, labels, dataUrl }) => {
    const caption = labels.join(', ');
    return `<figure><img src="${dataUrl}" alt="${escaped(name)}" title="${escaped(name)}"><figcaption>${escaped(caption)}</figcaption></figure>`;
  });
  const content = figures.length > 0 ? figures.join('') : '<span class="note">no readable image</span>';
  return `<h3>${escaped(title)}</h3><div class="samples">${content}</div>`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = header.some((cell) => cell !== '')
    ? `<tr>${header.map((cell) => `<th>${escaped(cell)}</th>`).join('')}</tr>`
    : '';
  const body = rows
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`)
    .join('\n');
  return `<table>${head}${body}</table>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
