import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { shellLine } from '../commandLine/shellLine.js';
import { UsageError } from '../errors/usageError.js';
import { chooseCompute } from '../inference/computeDevice.js';
import { measureNetwork, type NetworkRates } from '../inference/measureNetwork.js';
import { type FittingNetwork, fittingNetworks } from '../inspect/fittingNetworks.js';
import {
  type NetworkName,
  networkCost,
  networkDefinitions,
  networkNames,
  networkSizes,
  networkStride,
} from '../networks/catalog.js';

export const networks = command({
  name: 'networks',
  summary: 'List the networks with their size and cost, or those that fit a dataset',
  examples: [
    ['anyclass networks', 'parameters, multiply-adds, stride and published weights'],
    ['anyclass networks --fits photos', 'three to try first, with reasons'],
    ['anyclass networks --network resnet-50 --measure', 'images per second on this machine'],
    ['anyclass networks --classes 41 --json', 'for 41 classes, as JSON'],
  ],
  options: z.object({
    classes: z
      .int()
      .positive()
      .optional()
      .describe("number of classes; default: the dataset's with --fits, otherwise 17"),
    network: z.enum(networkNames).optional().describe('show only this network').meta({ placeholder: 'NAME' }),
    fits: z
      .string()
      .optional()
      .describe('name the three networks to try first on this dataset')
      .meta({ placeholder: 'DATASET' }),
    measure: z.boolean().default(false).describe('measure images per second on this machine'),
    inputSize: z
      .int()
      .positive()
      .optional()
      .describe('height and width of the images to measure with; default 224'),
    batchSize: z.int().positive().optional().describe('images at a time to measure with; default 8'),
    device: z.string().default('auto').describe('cpu, cuda, cuda:N or auto').meta({ placeholder: 'DEVICE' }),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run(options, terminal) {
    const { network, fits, measure, json } = options;
    if (fits !== undefined && network !== undefined)
      throw new UsageError('names networks itself; leave out --network', 'fits');
    if (fits !== undefined && options.classes !== undefined)
      throw new UsageError('takes the number of classes from the dataset; leave out --classes', 'fits');
    for (const name of ['inputSize', 'batchSize'] as const)
      if (!measure && options[name] !== undefined)
        throw new UsageError('has no effect without --measure', name);
    const hasGpu =
      fits !== undefined && chooseCompute({ device: options.device, precision: 'auto' }).device !== 'cpu';
    const found = fits === undefined ? undefined : await fittingNetworks(fits, { hasGpu });
    const fitting = found?.networks;
    const classes = options.classes ?? found?.classes ?? 17;
    const names = fitting?.map(({ name }) => name) ?? (network ? [network] : networkNames);
    const listed = names.map((name, i) => {
      if (measure && names.length > 1) terminal.note(`measuring ${name} (${i + 1} of ${names.length})`);
      return {
        ...described(name, classes),
        ...(measure && { rates: ratesOf(name, options) }),
        ...(fitting && { reasons: fitting.find((one) => one.name === name)?.reasons }),
      };
    });
    if (json) terminal.print(JSON.stringify(listed, null, 2));
    else {
      const remark = `For ${classes} classes. Multiply-adds (the papers' FLOPs) are per image at 224 px, or per vector of 224 features; stride: pixels per cell of the last map.`;
      terminal.print(
        [
          ...table(listed),
          ...(fitting && fits !== undefined ? reasonLines(fitting, fits) : []),
          '',
          remark,
          ...rateRemark(listed),
        ].join('\n'),
      );
    }
    return listed;
  },
});

interface Listed {
  readonly name: NetworkName;
  readonly classes: number;
  readonly inputSize: number;
  readonly parameters: number;
  readonly multiplyAdds: number;
  readonly stride: number | undefined;
  /** Which sides images may have. */
  readonly sizes: { readonly multipleOf: number; readonly least: number } | undefined;
  /** How many weights are published for it. */
  readonly weights: number;
  readonly input: 'images' | 'features';
  readonly paper: string | undefined;
  readonly rates?: MeasuredRates | undefined;
}

type MeasuredRates = NetworkRates & {
  /** The largest size up to the requested one that fits the network. */
  readonly inputSize: number;
  readonly batchSize: number;
  readonly device: string;
};

function described(name: NetworkName, classes: number): Listed {
  const { paper, input = 'images', weights } = networkDefinitions[name];
  return {
    name,
    classes,
    inputSize: 224,
    ...networkCost(name, classes),
    stride: networkStride(name),
    sizes: networkSizes(name),
    weights: weights.published?.length ?? 0,
    input,
    paper: paper && `arXiv ${paper}`,
  };
}

/** Networks for features have nothing to measure here: they are as fast as reading the data. */
function ratesOf(
  name: NetworkName,
  options: { device: string; inputSize?: number | undefined; batchSize?: number | undefined },
): MeasuredRates | undefined {
  const sizes = networkSizes(name);
  if (!sizes) return undefined;
  const { inputSize: wanted = 224, batchSize = 8 } = options;
  const inputSize = Math.max(sizes.least, Math.floor(wanted / sizes.multipleOf) * sizes.multipleOf);
  const compute = chooseCompute({ device: options.device, precision: 'auto' });
  const rates = measureNetwork(name, compute, { inputSize, batchSize });
  return { ...rates, inputSize, batchSize, device: compute.device };
}

/** Says what was measured: networks may need other sizes than the requested one. */
function rateRemark(listed: readonly Listed[]): string[] {
  const measured = listed.flatMap(({ name, rates }) => (rates ? [{ name, ...rates }] : []));
  const [first] = measured;
  if (!first) return [];
  const sizes = new Set(measured.map(({ inputSize }) => inputSize));
  const shown = Array.from(sizes, (size) => {
    const names = measured.filter(({ inputSize }) => inputSize === size).map(({ name }) => name);
    return sizes.size === 1 ? `${size} px` : `${size} px (${names.join(', ')})`;
  });
  return [
    `Images per second on ${first.device}, in batches of ${first.batchSize} at ${shown.join(', ')}; training without the optimizer's step.`,
  ];
}

function table(listed: readonly Listed[]): string[] {
  const isMeasured = listed.some(({ rates }) => rates);
  const head = ['network', 'parameters', 'multiply-adds', 'paper', 'stride', 'sizes', 'weights'];
  const rows = listed.map(({ name, parameters, multiplyAdds, paper, stride, sizes, weights, rates }) => [
    name,
    parameters.toLocaleString('en-US'),
    inWords(multiplyAdds),
    paper ?? 'for features',
    stride === undefined ? '' : String(stride),
    sizes === undefined
      ? ''
      : sizes.multipleOf === 1
        ? `≥ ${sizes.least}`
        : `multiples of ${sizes.multipleOf}`,
    String(weights),
    ...(isMeasured ? [rate(rates?.predicted), rate(rates?.trained)] : []),
  ]);
  const all = [[...head, ...(isMeasured ? ['predicted/s', 'trained/s'] : [])], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const isText = (column: number) => column === 0 || column === 3 || column === 5;
  return all.map((row) =>
    row
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

function rate(perSecond: number | undefined): string {
  if (perSecond === undefined) return '';
  return perSecond >= 100 ? perSecond.toFixed(0) : perSecond.toFixed(1);
}

function reasonLines(fitting: readonly FittingNetwork[], dataset: string): string[] {
  return fitting.flatMap(({ name, reasons, weights }, i) => [
    '',
    `${i + 1}. ${name}: ${reasons.join('; ')}`,
    ...(weights === undefined
      ? []
      : [
          `   start from ${weights} (${shellLine(['anyclass', 'train', '--data', dataset, '--weights', weights])}), or see 'anyclass weights list --network ${name}'`,
        ]),
  ]);
}

function inWords(multiplyAdds: number): string {
  return multiplyAdds >= 1e7
    ? `${(multiplyAdds / 1e9).toFixed(2)} G`
    : `${(multiplyAdds / 1e6).toFixed(2)} M`;
}
