import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { networkCost, networkDefinitions, networkNames } from '../networks/catalogue.js';

export const networks = command({
  name: 'networks',
  summary: 'List the networks with their size and cost',
  examples: [
    ['anyclass networks', 'parameters and multiply-adds at 224 px'],
    ['anyclass networks --classes 41 --json', 'for 41 classes, for a program'],
  ],
  options: z.object({
    classes: z.int().positive().default(17).describe('the number of classes that the last layer has'),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ classes, json }, terminal) {
    const listed = networkNames.map((name) => ({
      name,
      classes,
      inputSize: 224,
      ...networkCost(name, classes),
      paper: `arXiv ${networkDefinitions[name].paper}`,
    }));
    if (json) {
      terminal.print(JSON.stringify(listed, null, 2));
      return listed;
    }
    const rows = listed.map(({ name, parameters, multiplyAdds, paper }) =>
      row(name, parameters.toLocaleString('en-US'), `${(multiplyAdds / 1e9).toFixed(2)} G`, paper),
    );
    const remark = `for ${classes} classes; multiply-adds (the papers' FLOPs) of one image at 224 px`;
    terminal.print([row('network', 'parameters', 'multiply-adds', 'paper'), ...rows, '', remark].join('\n'));
    return listed;
  },
});

function row(name: string, parameters: string, multiplyAdds: string, paper: string): string {
  return `${name.padEnd(12)}${parameters.padStart(12)}${multiplyAdds.padStart(16)}   ${paper}`;
}
