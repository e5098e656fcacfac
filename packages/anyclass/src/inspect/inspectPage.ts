import { counted } from '../errors/counted.js';
import { type Chart, chartRow, tableBlock, verdictBlock } from '../pages/blocks.js';
import { note, page, type Section, sections } from '../pages/page.js';
import { escaped } from '../tables/escaped.js';
import type { ReportTable, Table } from '../tables/index.js';
import { annotationChart, distributionChart, labelsPerInstanceChart } from './datasetCharts.js';
import { heatMapChart } from './heatMap.js';
import type { ClassCount, ImageStatistics, Inspection, LabelSuspect, Problem } from './inspection.js';
import { classTable, labelTable, pairTable, splitTable } from './inspectTables.js';
import { featureText } from './inspectText.js';
import type { PagePictures, Picture } from './pagePictures.js';
import type { SampleRow } from './samples.js';
import { inspectionVerdict } from './verdict.js';

/**
 * An inspection as one self-contained HTML page: charts are SVG, and images are embedded.
 *
 * @example
 * await writeFile('inspection.html', inspectPage(inspection, await pagePictures(dataset, inspection)))
 */
export function inspectPage(inspection: Inspection, pictures: PagePictures): string {
  const { splitOrigin, lambda, images, features } = inspection;
  const verdict = inspectionVerdict(inspection);
  const { samples, nearDuplicates, suspects } = pictures;
  const list: (Section | undefined)[] = [
    { name: 'problems', title: 'Problems', parts: [problemList(inspection.problems)] },
    nearDuplicates.length === 0
      ? undefined
      : {
          name: 'near-duplicates',
          title: 'Images that look alike',
          parts: [
            shownPart(nearDuplicates.length, inspection.nearDuplicates.length, 'sets'),
            ...nearDuplicates.map(alikeRow),
          ],
        },
    suspects.length === 0
      ? undefined
      : {
          name: 'suspects',
          title: 'Doubtful labels',
          parts: [
            shownPart(suspects.length, inspection.suspects.length, 'labels'),
            `<div class="images">${suspects.map(suspectPicture).join('')}</div>`,
          ],
        },
    { name: 'splits', title: 'Splits', parts: [tableBlock(splitTable(inspection)), note(splitOrigin)] },
    {
      name: 'lambda',
      title: 'λ',
      parts: [
        `<p>Try <b>${lambda.from} to ${lambda.to}</b>, starting with <b>${lambda.start}</b>: ${escaped(lambda.reason)}.</p>`,
      ],
    },
    classSection(inspection),
    groupSection(inspection),
    togetherSection(inspection),
    images && {
      name: 'images',
      title: 'Images',
      parts: [tableBlock({ name: 'images', table: imageTable(images) })],
    },
    features && { name: 'features', title: 'Features', parts: [`<p>${escaped(featureText(features))}.</p>`] },
    samples.length === 0
      ? undefined
      : {
          name: 'samples',
          title: 'Samples',
          parts: samplesParts(samples),
        },
  ];
  return page(`${inspection.dataset}: inspection`, [
    verdictBlock(verdict.text, verdict.isDoubtful),
    ...sections(list.filter((section) => section !== undefined)),
  ]);
}

function classSection(inspection: Inspection): Section {
  const partial = labelTable(inspection);
  const { classCounts } = inspection;
  return {
    name: 'classes',
    title: 'Classes',
    parts: [
      chartRow([distributionChart('classes', classCounts), ...annotationsOf('annotations', classCounts)]),
      folded(
        `Counts and class-balancing weights of ${counted(classCounts.length, 'class')}`,
        classTable(inspection),
      ),
      ...(partial ? [folded('Unknown, uncertain, and soft labels', partial)] : []),
    ],
  };
}

function groupSection({ familyCounts, familyCooccurrence }: Inspection): Section | undefined {
  if (familyCounts.length === 0) return undefined;
  return {
    name: 'groups',
    title: 'Groups of classes',
    parts: [
      chartRow([
        distributionChart('groups', familyCounts),
        ...annotationsOf('group-annotations', familyCounts),
        heatMapChart({
          name: 'groups-together',
          what: 'group',
          names: familyCounts.map(({ name }) => name),
          together: familyCooccurrence,
        }),
      ]),
    ],
  };
}

function togetherSection(inspection: Inspection): Section {
  const { classes, pairedClasses, cooccurrence } = inspection;
  const pairs = pairTable(inspection);
  return {
    name: 'together',
    title: 'Labels together',
    parts: [
      chartRow([
        labelsPerInstanceChart(inspection),
        ...(pairs === undefined
          ? []
          : [
              heatMapChart({
                name: 'cooccurrence',
                what: 'class',
                names: pairedClasses,
                of: classes.length,
                together: cooccurrence,
              }),
            ]),
      ]),
      ...(pairs ? [folded('Pairs of classes', pairs)] : []),
    ],
  };
}

function annotationsOf(name: string, counts: readonly ClassCount[]): Chart[] {
  return counts.some(({ annotations }) => annotations !== undefined) ? [annotationChart(name, counts)] : [];
}

function folded(summary: string, table: ReportTable): string {
  return `<details><summary>${escaped(summary)}</summary>${tableBlock(table)}</details>`;
}

function shownPart(shown: number, all: number, what: string): string {
  return shown < all
    ? note(`The first ${number(shown)} of ${number(all)} ${what}; the inspection as JSON lists all.`)
    : '';
}

function problemList(problems: readonly Problem[]): string {
  if (problems.length === 0) return '<p class="fine">None found.</p>';
  const blocks = problems.map(({ text, count, examples }) => {
    const items = examples.map((example) => `<li>${escaped(example)}</li>`);
    const shown = items.slice(0, mostExamples).join('');
    const rest = items.slice(mostExamples);
    const more =
      rest.length === 0
        ? ''
        : `<details><summary>${number(rest.length)} more</summary><ul>${rest.join('')}</ul></details>`;
    return `<div class="problem"><b>${number(count)}</b> ${escaped(text)}<ul>${shown}</ul>${more}</div>`;
  });
  return `<div class="problems">${blocks.join('\n')}</div>`;
}

const mostExamples = 10;

function alikeRow(set: readonly Picture[]): string {
  const splits = new Set(set.map(({ image }) => image.split));
  const across = splits.size > 1 ? ' across' : '';
  return `<div class="alike${across}">${set.map((picture) => pictureOf(picture)).join('')}</div>`;
}

function suspectPicture({ image, dataUrl }: Picture<LabelSuspect>): string {
  const label = image.kind === 'missing' ? 'not labeled' : 'labeled';
  const doubt = `<b>${escaped(image.class)}</b> ${label}, scores ${image.score.toFixed(2)}<br>`;
  return pictureOf({ image, dataUrl }, doubt);
}

function pictureOf({ image, dataUrl }: Picture, before = ''): string {
  const { name, split, labels } = image;
  const picture = dataUrl === undefined ? '' : `<img src="${dataUrl}" alt="${escaped(name)}">`;
  const truth = labels.length > 0 ? labels.join(', ') : 'no label';
  return `<figure>${picture}<figcaption>${before}${escaped(name)}<br>${escaped(split ?? 'no split')}: ${escaped(truth)}</figcaption></figure>`;
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
      ['most common sizes', sizes.map(({ size, count }) => `${size} (${number(count)})`).join(', ')],
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

/** More classes than this would hide what follows, so the rest are collapsed. */
const mostOpenSamples = 24;

/** The sample grids. The negatives, which come last, stay visible. */
function samplesParts(samples: readonly SampleRow[]): string[] {
  const grid = (rows: readonly SampleRow[]) => `<div class="samples">${rows.map(sampleRow).join('\n')}</div>`;
  if (samples.length <= mostOpenSamples) return [grid(samples)];
  const [open, rest] = [samples.slice(0, mostOpenSamples - 1), samples.slice(mostOpenSamples - 1, -1)];
  return [
    grid([...open, ...samples.slice(-1)]),
    `<details><summary>Samples of ${counted(rest.length, 'more class')}</summary>${grid(rest)}</details>`,
  ];
}

function sampleRow({ title, images }: SampleRow): string {
  const pictures = images.map(({ name, labels, dataUrl }) => {
    const caption = labels.length > 0 ? `<br>${escaped(labels.join(', '))}` : '';
    return `<figure><img src="${dataUrl}" alt="${escaped(name)}"><figcaption>${escaped(name)}${caption}</figcaption></figure>`;
  });
  const content = pictures.length > 0 ? pictures.join('') : '<span class="note">no readable image</span>';
  return `<div><h3>${escaped(title)}</h3><div class="images">${content}</div></div>`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
