import { z } from 'zod';
import { command } from '../commandLine/command.js';
import {
  type NetworkName,
  networkCost,
  networkDefinitions,
  networkNames,
  networkStride,
} from '../networks/catalog.js';

export const networks = command({
  name: 'networks',
  summary: 'List the networks with their size and cost',
  examples: [
    ['anyclass networks', 'parameters and multiply-adds at 224 px'],
    ['anyclass networks --classes 41 --json', 'for 41 classes, as JSON'],
  ],
  options: z.object({
    classes: z.int().positive().default(17).describe('number of classes'),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ classes, json }, terminal) {
    const listed = networkNames.map((name) => ({
      name,
      classes,
      inputSize: 224,
      ...networkCost(name, classes),
      stride: networkStride(name),
      input: networkDefinitions[name].input ?? 'images',
      paper: paperOf(name),
    }));
    if (json) {
      terminal.print(JSON.stringify(listed, null, 2));
      return listed;
    }
    const rows = listed.map(({ name, parameters, multiplyAdds, paper }) =>
      row(name, parameters.toLocaleString('en-US'), inWords(multiplyAdds), paper ?? 'for feature vectors'),
    );
    const remark = `For ${classes} classes. Multiply-adds (the papers' FLOPs) are per image at 224 px, or per vector of 224 features.`;
    terminal.print([row('network', 'parameters', 'multiply-adds', 'paper'), ...rows, '', remark].join('\n'));
    return listed;
  },
});

function paperOf(name: NetworkName): string | undefined {
  const { paper } = networkDefinitions[name];
  return paper && `arXiv ${paper}`;
}

function inWords(multiplyAdds: number): string {
  return multiplyAdds >= 1e7
    ? `${(multiplyAdds / 1e9).toFixed(2)} G`
    : `${(multiplyAdds / 1e6).toFixed(2)} M`;
}

function row(name: string, parameters: string, multiplyAdds: string, paper: string): string {
  return `${name.padEnd(12)}${parameters.padStart(12)}${multiplyAdds.padStart(16)}   ${paper}`;
}
