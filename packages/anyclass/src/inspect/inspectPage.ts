import { escaped } from '../pages/escaped.js';
import { page, table } from '../pages/page.js';
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
  return page(`${dataset}: inspection`, [
    `<h1>${escaped(dataset)}</h1>
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
`,
  ]);
}

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
  return `<h3>${escaped(title)}</h3><div class="images">${content}</div>`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
