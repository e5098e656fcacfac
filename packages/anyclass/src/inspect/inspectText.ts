import type { CorrectionCount } from '../data/dataset/dataset.js';
import type { LevelStatistics } from '../data/images/levelSurvey.js';
import { counted, inflected } from '../errors/counted.js';
import { inOneLine } from '../errors/escaped.js';
import { alignedColumns } from '../tables/index.js';
import type { FeatureSummary, ImageStatistics, InputAdvice, Inspection, LabelCount } from './inspection.js';
import { inspectionVerdict } from './inspectionVerdict.js';
import { promisableText } from './promisableWith.js';

/**
 * An inspection as text for a terminal.
 *
 * @example
 * console.log(inspectText(await inspectDataset(dataset, {})))
 */
export function inspectText(inspection: Inspection): string {
  const { dataset, splitOrigin, lambda } = inspection;
  const sections = [
    `${inOneLine(dataset)}: ${inspectionVerdict(inspection).text}`,
    splitSection(inspection),
    `splits: ${splitOrigin}`,
    ...(inspection.corrections ? [correctionText(inspection.corrections)] : []),
    classSection(inspection),
    labelSection(inspection),
    familySection(inspection),
    `labels per instance: ${inspection.labelsPerInstance.map((count, labels) => `${labels}: ${number(count)}`).join(', ')}`,
    togetherSection(inspection),
    ...(inspection.images ? [imageSection(inspection.images)] : []),
    ...(inspection.input ? [inputSection(inspection.input)] : []),
    ...(inspection.features ? [`${featureText(inspection.features)}`] : []),
    promisableText(inspection.promisable),
    ...(inspection.suspected ? [suspectedText(inspection.suspected)] : []),
    `λ: try ${lambda.from} to ${lambda.to}, starting with ${lambda.start}\n   ${lambda.reason}`,
    problemSection(inspection),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/**
 * The number of corrected labels in one line.
 *
 * @example
 * correctionText({ file: 'fixes.csv', labels: 3, images: 2, changed: 1 })
 * // 'corrections: 3 labels of 2 images in fixes.csv, 1 of which differs from the dataset'
 */
function correctionText({ file, labels, images, changed }: CorrectionCount): string {
  const of = `${counted(labels, 'label')} of ${counted(images, 'image')}`;
  return `corrections: ${of} in ${file}, ${number(changed)} of which ${inflected(changed, 'differs', 'differ')} from the dataset`;
}

/** What was examined for doubtful labels. */
function suspectedText({ heldOut, training }: NonNullable<Inspection['suspected']>): string {
  const trained =
    training > 0
      ? `${counted(training, 'training image')} by their margins over the epochs`
      : 'no training image, because the run recorded no margins';
  return `labels examined: ${counted(heldOut, 'held-out image')} by their scores, ${trained}`;
}

function splitSection({ splits, groupColumn }: Inspection): string {
  const withUndecided = splits.some(({ undecided }) => undecided > 0);
  const header = [
    'split',
    'positive',
    'negative',
    ...(withUndecided ? ['undecided'] : []),
    'total',
    'negative %',
  ];
  return alignedColumns([
    [...header, ...(groupColumn === undefined ? [] : [`groups (by ${groupColumn})`])],
    ...splits
      .filter(({ total }) => total > 0)
      .map(({ split, positive, negative, undecided, total, groups }) => [
        split,
        number(positive),
        number(negative),
        ...(withUndecided ? [number(undecided)] : []),
        number(total),
        positive + negative === 0 ? '–' : ((100 * negative) / (positive + negative)).toFixed(1),
        ...(groups === undefined ? [] : [number(groups)]),
      ]),
  ]);
}

function classSection({ classCounts, balance }: Inspection): string {
  const weight = (value: number) => value.toPrecision(4);
  const hasDecision = classCounts.some(({ decision }) => decision !== undefined);
  const counted = classCounts.map(({ name, train, validation, test, decision }, j) => [
    ...[name, number(train), number(validation), number(test)],
    ...(hasDecision ? [number(decision ?? 0)] : []),
    weight(balance.classWeights[j]!),
  ]);
  const splits = ['train', 'validation', 'test', ...(hasDecision ? ['decision'] : [])];
  const header = ['class', ...splits, `weight (β ${balance.beta})`];
  const negative = ['(negative)', ...splits.map(() => ''), weight(balance.negativeWeight)];
  return alignedColumns([header, ...counted, negative]);
}

/** The classes with labels other than 0 and 1. */
function labelSection({ labelCounts }: Inspection): string {
  const partial = labelCounts.filter(({ unknown, uncertain, soft }) => unknown + uncertain + soft > 0);
  if (partial.length === 0) return '';
  const sum = (count: (of: LabelCount) => number) =>
    partial.reduce((total, classCount) => total + count(classCount), 0);
  return alignedColumns([
    ['labels', 'unknown', 'uncertain', 'soft'],
    ...partial.map(({ name, ...counts }) => [name, counts.unknown, counts.uncertain, counts.soft].map(text)),
    ['(all)', sum(({ unknown }) => unknown), sum(({ uncertain }) => uncertain), sum(({ soft }) => soft)].map(
      text,
    ),
  ]);
}

function familySection({ familyCounts }: Inspection): string {
  if (familyCounts.length === 0) return '';
  const rows = familyCounts.map(({ name, train, validation, test }) =>
    [name, train, validation, test].map(text),
  );
  return alignedColumns([['group of classes', 'train', 'validation', 'test'], ...rows]);
}

/** The pairs of classes that occur together most often. */
function togetherSection({ classes, pairedClasses, cooccurrence }: Inspection): string {
  const pairs = pairedClasses.flatMap((a, i) =>
    pairedClasses.slice(i + 1).map((b, k) => ({ pair: `${a} + ${b}`, count: cooccurrence[i]![i + 1 + k]! })),
  );
  const most = pairs.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  if (most.length === 0) return '';
  const among =
    pairedClasses.length < classes.length ? ` (of the ${pairedClasses.length} most frequent classes)` : '';
  return `most often together${among}: ${most
    .slice(0, 6)
    .map(({ pair, count }) => `${inOneLine(pair)} ${number(count)}`)
    .join(', ')}`;
}

/**
 * A summary of the feature vectors in one line.
 *
 * @example
 * featureText({ features: 294, rows: 2407, constant: [], missing: 1 })
 * // '294 features in 2,407 rows; 1 value missing, 0 features constant'
 */
export function featureText({ features, rows, constant, missing }: FeatureSummary): string {
  const of = `${counted(features, 'feature')} in ${counted(rows, 'row')}`;
  return `${of}; ${counted(missing, 'value')} missing, ${counted(constant.length, 'feature')} constant`;
}

function imageSection({ examined, of, width, height, sizes, mean, std, levels }: ImageStatistics): string {
  const fixed = (values: readonly number[]) => values.map((value) => value.toFixed(3)).join(' ');
  return [
    `images: ${number(examined)} of ${number(of)} examined`,
    `  width ${width.min} to ${width.max}, median ${width.median}; height ${height.min} to ${height.max}, median ${height.median}`,
    `  most common: ${sizes
      .slice(0, 4)
      .map(({ size, count }) => `${size} (${number(count)})`)
      .join(', ')}`,
    `  mean ${fixed(mean)}, standard deviation ${fixed(std)} (training images)`,
    ...(levels ? levelLines(levels) : []),
  ].join('\n');
}

/** What is left of images and objects at each input size. */
function inputSection({ network, stride, suggested, reason, objects, views }: InputAdvice): string {
  const table = alignedColumns([
    ['input', 'positions', ...(objects > 0 ? ['median object', 'smaller than a position'] : [])],
    ...views.map(({ size, positions, objectSide, belowPosition }) => [
      `${size} px${size === suggested ? ' (suggested)' : ''}`,
      `${positions} × ${positions}`,
      ...(objectSide === undefined ? [] : [`${objectSide.toFixed(0)} px`]),
      ...(belowPosition === undefined ? [] : [`${(100 * belowPosition).toFixed(1)}%`]),
    ]),
  ]);
  const of = objects > 0 ? `; ${counted(objects, 'object')} with a box` : '';
  return `${table}\n  ${network} covers ${stride} px with a position${of}\n  ${suggested} px: ${reason}`;
}

/** The levels of images with more than 8 bits, for choosing data.window. */
function levelLines({
  images,
  withOwnWindow,
  lowest,
  highest,
  typical,
  suggested,
}: LevelStatistics): string[] {
  const own = withOwnWindow === 0 ? '' : `, ${number(withOwnWindow)} with their own window`;
  return [
    `  more than 8 bits: ${number(images)}${own}; levels ${lowest} to ${highest}, typically ${typical.join(' to ')}`,
    `  data.window [${suggested.join(', ')}] covers them all`,
  ];
}

function problemSection({ problems }: Inspection): string {
  if (problems.length === 0) return 'no problems found';
  const lines = problems.flatMap(({ text: what, count, examples }) => [
    `! ${number(count)} ${what}`,
    ...examples.slice(0, 5).map((example) => `    ${inOneLine(example)}`),
    ...(examples.length > 5 ? [`    … and ${number(Math.max(count, examples.length) - 5)} more`] : []),
  ]);
  return ['problems', ...lines].join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function text(value: string | number): string {
  return typeof value === 'number' ? number(value) : value;
}
