import { type Card, command, escaped, folded, gallery, note } from '@anyclass/kit';
import { counted } from '../errors/counted.js';
import { listed } from '../errors/listed.js';
import { type Chart, chartRow, tableBlock } from '../pages/blocks.js';
import { page, type Section } from '../pages/page.js';
import type { ReportTable, Table } from '../tables/index.js';
import { annotationChart, distributionChart, labelsPerInstanceChart } from './datasetCharts.js';
import { inspectionAnswers } from './firstScreen.js';
import { fixOf } from './fixes.js';
import { heatMapChart } from './heatMap.js';
import type { ClassCount, ImageStatistics, Inspection, LabelSuspect } from './inspection.js';
import { seriousFirst } from './inspectionVerdict.js';
import { classTable, labelTable, pairTable, splitTable } from './inspectTables.js';
import { featureText } from './inspectText.js';
import type { PagePictures, Picture } from './pagePictures.js';
import type { SampleRow } from './samples.js';

/**
 * An inspection as one self-contained HTML page: charts are SVG, and images are embedded.
 *
 * @param spec how the dataset is written on the command line, for the commands that fix problems
 *
 * @example
 * await writeFile('inspection.html', inspectPage(inspection, await pagePictures(dataset, inspection)))
 */
export function inspectPage(
  inspection: Inspection,
  pictures: PagePictures,
  spec = inspection.dataset,
): string {
  const { splitOrigin, lambda, images, features } = inspection;
  const { samples, nearDuplicates, suspects } = pictures;
  const list: (Section | undefined)[] = [
    inspection.problems.length === 0
      ? undefined
      : { name: 'problems', title: 'Problems', parts: [problemList(inspection, spec)] },
    samples.length === 0
      ? undefined
      : {
          name: 'samples',
          title: 'Samples',
          parts: samplesParts(samples, inspection.classes.length),
        },
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
            gallery(suspects.map(suspectCard), 'small'),
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
  ];
  return page({
    kind: 'inspections',
    name: inspection.dataset,
    about: splitOrigin,
    head: [inspectionAnswers(inspection, pictures, spec)],
    sections: list.filter((section) => section !== undefined),
  });
}

function classSection(inspection: Inspection): Section {
  const partial = labelTable(inspection);
  const { classCounts } = inspection;
  return {
    name: 'classes',
    title: 'Classes',
    parts: [
      chartRow([distributionChart('classes', classCounts), ...annotationsOf('annotations', classCounts)]),
      foldedTable(
        `Counts and class-balancing weights of ${counted(classCounts.length, 'class')}`,
        classTable(inspection),
      ),
      ...(partial ? [foldedTable('Unknown, uncertain, and soft labels', partial)] : []),
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
      ...(pairs ? [foldedTable('Pairs of classes', pairs)] : []),
    ],
  };
}

function annotationsOf(name: string, counts: readonly ClassCount[]): Chart[] {
  return counts.some(({ annotations }) => annotations !== undefined) ? [annotationChart(name, counts)] : [];
}

function foldedTable(summary: string, table: ReportTable): string {
  return folded(summary, '', tableBlock(table));
}

function shownPart(shown: number, all: number, what: string): string {
  return shown < all
    ? note(`The first ${number(shown)} of ${number(all)} ${what}; the inspection as JSON lists all.`)
    : '';
}

function problemList({ problems }: Inspection, spec: string): string {
  const blocks = seriousFirst(problems).map((problem) => {
    const { text, count, examples } = problem;
    const fix = fixOf(problem, spec);
    const items = examples.map((example) => `<li><bdi>${escaped(example)}</bdi></li>`);
    const list = items.length === 0 ? '' : `<ul>${items.slice(0, mostExamples).join('')}</ul>`;
    const rest = items.slice(mostExamples);
    const more =
      rest.length === 0 ? '' : folded(`${number(rest.length)} more`, '', `<ul>${rest.join('')}</ul>`);
    const advice = fix ? `${note(fix.words)}${fix.command === undefined ? '' : command(fix.command)}` : '';
    return `<div class="warning block problem"><p><b>${number(count)}</b> ${escaped(text)}</p>${advice}<div class="note">${list}</div>${more}</div>`;
  });
  return `<div class="problems">${blocks.join('\n')}</div>`;
}

const mostExamples = 10;

/** A set side by side; those in several splits come first, and say so. */
function alikeRow(set: readonly Picture[]): string {
  const splits = new Set(set.map(({ image }) => image.split));
  const title = splits.size > 1 ? '<h3 class="missed">In more than one split</h3>' : '';
  return `<div class="alike${splits.size > 1 ? ' across' : ''}">${title}${gallery(
    set.map((picture) => cardOf(picture)),
    'small',
  )}</div>`;
}

function suspectCard({ image, dataUrl }: Picture<LabelSuspect>): Card {
  const label = image.kind === 'missing' ? 'not labeled' : 'labeled';
  return {
    ...cardOf({ image, dataUrl }),
    title: image.class,
    tone: image.kind === 'missing' ? 'missed' : 'false-alarm',
    remark: `${label}, scores ${image.score.toFixed(2)}; ${image.split ?? 'no split'}`,
  };
}

function cardOf({ image, dataUrl }: Picture): Card {
  const { name, split, labels } = image;
  return {
    image: dataUrl,
    alt: name,
    title: labels.length > 0 ? labels.join(', ') : 'no label',
    remark: split ?? 'no split',
    file: name,
  };
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
function samplesParts(samples: readonly SampleRow[], classes: number): string[] {
  const shown = samples.filter(({ title }) => title !== 'negative').length;
  const remark =
    shown < classes ? [note(`Of the first ${number(shown)} of ${number(classes)} classes.`)] : [];
  const grid = (rows: readonly SampleRow[]) =>
    `<div class="columns ${samples.some(({ images }) => images.length > 3) ? 'two' : 'three'}">${rows.map(sampleRow).join('\n')}</div>`;
  if (samples.length <= mostOpenSamples) return [...remark, grid(samples)];
  const [open, rest] = [samples.slice(0, mostOpenSamples - 1), samples.slice(mostOpenSamples - 1, -1)];
  return [
    ...remark,
    grid([...open, ...samples.slice(-1)]),
    folded(`Samples of ${counted(rest.length, 'more class')}`, '', grid(rest)),
  ];
}

function sampleRow({ title, images }: SampleRow): string {
  const cards = images.map(
    ({ name, labels, dataUrl }): Card => ({
      image: dataUrl,
      alt: name,
      title: labels.length > 0 ? listed(labels, 3) : 'negative',
      file: name,
    }),
  );
  const content = cards.length > 0 ? gallery(cards, 'small') : note('no readable image');
  return `<div class="group"><h3>${escaped(title)}</h3>${content}</div>`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
