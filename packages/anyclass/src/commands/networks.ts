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
    classes: z.int().positive().default(17).describe('number of classes'),
    network: z.enum(networkNames).optional().describe('show only this network').meta({ placeholder: 'NAME' }),
    fits: z
      .string()
      .optional()
      .describe('name the three networks to try first on this dataset')
      .meta({ placeholder: 'DATASET' }),
    measure: z.boolean().default(false).describe('measure images per second on this machine'),
    inputSize: z.int().positive().default(224).describe('height and width of the images to measure with'),
    batchSize: z.int().positive().default(8).describe('images at a time to measure with'),
    device: z.string().default('auto').describe('cpu, cuda, cuda:N or auto'),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run(options, terminal) {
    const { classes, network, fits, measure, json } = options;
    if (fits !== undefined && network !== undefined)
      throw new UsageError('names networks itself; leave out --network', 'fits');
    const hasGpu =
      fits !== undefined && chooseCompute({ device: options.device, precision: 'auto' }).device !== 'cpu';
    const fitting = fits === undefined ? undefined : await fittingNetworks(fits, { hasGpu });
    const names = fitting?.map(({ name }) => name) ?? (network ? [network] : networkNames);
    const listed = names.map((name) => ({
      ...described(name, classes),
      ...(measure && { rates: ratesOf(name, options) }),
      ...(fitting && { reasons: fitting.find((one) => one.name === name)?.reasons }),
    }));
    if (json) terminal.print(JSON.stringify(listed, null, 2));
    else {
      const remark = `For ${classes} classes. Multiply-adds (the papers' FLOPs) are per image at 224 px, or per vector of 224 features; stride: pixels per cell of the last map.`;
      terminal.print(
        [
          ...table(listed),
          ...(fitting && fits !== undefined ? reasonLines(fitting, fits) : []),
          '',
          remark,
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
  readonly rates?: NetworkRates | undefined;
}

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
  { device, inputSize, batchSize }: { device: string; inputSize: number; batchSize: number },
): NetworkRates | undefined {
  const sizes = networkSizes(name);
  if (!sizes) return undefined;
  const side = Math.max(sizes.least, Math.floor(inputSize / sizes.multipleOf) * sizes.multipleOf);
  return measureNetwork(name, chooseCompute({ device, precision: 'auto' }), { inputSize: side, batchSize });
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
