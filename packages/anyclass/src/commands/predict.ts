import { command } from '../commandLine/command.js';
import { nextLine, shownPaths } from '../commandLine/shellLine.js';
import type { CountedNames } from '../data/dataset/countedNames.js';
import { skippedWords } from '../data/images/formats/imageFiles.js';
import { failingTogether } from '../distribution/failure.js';
import { joinRanks } from '../distribution/ranks.js';
import { counted, inflected } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { checkGroups, groupsText } from './predictionGroups.js';
import { type PredictOptions, predictOptions } from './predictOptions.js';
import { predictShare } from './predictShare.js';

/** Exit code when some images could not be read and the others were predicted. */
const someFailed = 3;

export const predict = command({
  name: 'predict',
  summary: 'Predict the classes of images, or of feature vectors',
  positionals: [
    { field: 'model', placeholder: 'RUN|MODEL' },
    { field: 'paths', placeholder: 'PATH…', rest: true },
  ],
  examples: [
    ['anyclass predict runs/sewer photos > predictions.csv', 'all images in a folder and its subfolders'],
    [
      'anyclass predict runs/sewer photos --false-alarms 0.02',
      'with a decision refitted for at most 2% false alarms',
    ],
    [
      'anyclass predict runs/sewer photos --false-alarms 1% --missed 2% --outcome review',
      'only the images that a person has to look at',
    ],
    [
      'anyclass predict runs/chest studies --per group --group-folder 1 --groups-out patients.csv > images.csv',
      'one answer per image, and one per patient, whose images share a folder',
    ],
    [
      'anyclass predict model.safetensors a.jpg b.png --format jsonl --details',
      'one JSON object per line, with the gate',
    ],
    ['anyclass predict model.onnx photos', 'an exported model, without libtorch'],
    ['anyclass predict runs/soil fields.csv --format jsonl', 'feature vectors, for a model of features'],
    ['anyclass predict runs/sewer photos --heat-maps heat', 'with a page of heat maps, heat/index.html'],
    ["find . -name '*.jpg' | anyclass predict runs/sewer -", 'a list of paths from standard input'],
    [
      'anyclass predict runs/sewer sewerml=data/sewer --format sewerml --out submission.csv',
      "SewerML's test split: a submission to the benchmark",
    ],
  ],
  options: predictOptions,
  async run(given, terminal) {
    const { paths, json, details, top } = given;
    const format = given.format ?? (json ? 'jsonl' : 'csv');
    if (json && format !== 'jsonl')
      throw new UsageError(`--json means --format jsonl, not ${format}; give only one of them`);
    if (format === 'sewerml' && (details || top !== undefined))
      throw new UsageError(
        '--format sewerml contains only probabilities and cannot be combined with --details or --top',
      );
    if (paths.filter((path) => path === '-').length > 1)
      throw new UsageError('PATH…: - reads the list from standard input and can be given only once');
    checkGroups(given, format);
    const ranks = await joinRanks();
    const share = await failingTogether(ranks, () => predictShare(ranks, { ...given, format }, terminal));
    if (!share) return 0;
    const { predicted, others, failed, skipped, noun, groups } = share;
    if (groups !== undefined) terminal.note(groupsText(groups, given.groupsOut));
    if (skipped.count > 0) terminal.note(skippedNote(skipped));
    if (failed.length > 0)
      throw new UserError(failureText(predicted, failed, noun === 'row' ? 'file or row' : 'image'), {
        exitCode: someFailed,
      });
    terminal.note(
      given.outcome === undefined
        ? counted(predicted, noun)
        : `${predicted} of ${counted(predicted + others, noun)}: ${given.outcome}`,
    );
    if (!terminal.isPiped && noun === 'image' && given.heatMaps === undefined)
      terminal.note(nextLine(...nextCommands(given)));
    return predicted;
  },
});

/** Where the model sees what it predicts, which needs its network and not an export alone; and the model as a server. */
function nextCommands({ model, paths }: PredictOptions): string[][] {
  const explain = ['explain', model, ...shownPaths(paths), '--out', 'heat'];
  return [...(model.endsWith('.onnx') ? [] : [explain]), ['serve', model]];
}

function skippedNote({ count, examples }: CountedNames): string {
  return `${count} ${inflected(count, ...skippedWords)}, such as ${examples[0]}`;
}

function failureText(predicted: number, failed: readonly string[], word: string): string {
  const many =
    predicted === 0
      ? `no ${word} could be read:`
      : `${failed.length} of ${predicted + failed.length} ${word === 'image' ? 'images' : 'files and rows'} could not be read:`;
  return [many, ...failed.map((text) => `  ${text}`)].join('\n');
}
