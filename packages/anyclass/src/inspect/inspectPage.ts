import { figureBlock, tableBlock } from '../pages/blocks.js';
import { note, page, type Section, sections } from '../pages/page.js';
import { escaped } from '../tables/escaped.js';
import type { Table } from '../tables/index.js';
import { cooccurrenceFigure, distributionFigure, labelsPerInstanceFigure } from './figures.js';
import type { ImageStatistics, Inspection, Problem } from './inspection.js';
import { classTable, labelTable, splitTable } from './inspectTables.js';
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
  const partial = labelTable(inspection);
  const share = (100 * all.negative) / Math.max(1, all.positive + all.negative);
  const list: Section[] = [
    { name: 'problems', title: 'Problems', parts: [problemList(inspection.problems)] },
    { name: 'splits', title: 'Splits', parts: [tableBlock(splitTable(inspection)), note(splitOrigin)] },
    {
      name: 'lambda',
      title: 'λ',
      parts: [
        `<p>Try <b>${lambda.from} to ${lambda.to}</b>, starting with <b>${lambda.start}</b>: ${escaped(lambda.reason)}.</p>`,
      ],
    },
    {
      name: 'classes',
      title: 'Classes',
      parts: [
        figureBlock(distributionFigure('classes', inspection.classCounts)),
        `<details><summary>Counts and class-balancing weights</summary>${tableBlock(classTable(inspection))}</details>`,
        ...(partial
          ? [`<details><summary>Unknown, uncertain and soft labels</summary>${tableBlock(partial)}</details>`]
          : []),
      ],
    },
    ...(familyCounts.length > 0
      ? [
          {
            name: 'groups',
            title: 'Groups of classes',
            parts: [figureBlock(distributionFigure('groups', familyCounts))],
          },
        ]
      : []),
    {
      name: 'together',
      title: 'Labels together',
      parts: [figureBlock(labelsPerInstanceFigure(inspection)), figureBlock(cooccurrenceFigure(inspection))],
    },
    ...(images
      ? [
          {
            name: 'images',
            title: 'Images',
            parts: [tableBlock({ name: 'images', table: imageTable(images) })],
          },
        ]
      : []),
    ...(samples.length > 0 ? [{ name: 'samples', title: 'Samples', parts: samples.map(sampleRow) }] : []),
  ];
  return page(`${dataset}: inspection`, [
    `<p>${number(all.total)} instances, ${classes.length} classes, ${share.toFixed(1)}% negative.</p>`,
    ...sections(list),
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

function imageTable({ examined, of, width, height, sizes, mean, std, levels }: ImageStatistics): Table {
  const three = (values: readonly number[]) => values.map((value) => value.toFixed(3)).join(', ');
  return {
    title: '',
    columns: [
      { title: '', kind: 'text' },
      { title: '', kind: 'text' },
    ],
    rows: [
      ['examined', `${number(examined)} of ${number(of)}`],
      ['width', `${width.min} to ${width.max}, median ${width.median}`],
      ['height', `${height.min} to ${height.max}, median ${height.median}`],
      ['commonest', sizes.map(({ size, count }) => `${size} (${number(count)})`).join(', ')],
      ['channel mean', three(mean)],
      ['channel standard deviation', three(std)],
      ...(levels
        ? [
            [
              'more than 8 bits',
              `${number(levels.images)}, ${number(levels.withOwnWindow)} with their own window`,
            ],
            ['levels', `${levels.lowest} to ${levels.highest}, typically ${levels.typical.join(' to ')}`],
            ['data.window for all', `[${levels.suggested.join(', ')}]`],
          ]
        : []),
    ],
  };
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
