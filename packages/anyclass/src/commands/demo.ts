import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import { runDemo } from '../demo/demo.js';
import { demoText } from '../demo/demoText.js';
import { UserError } from '../errors/userError.js';
import { checkOutputFolder } from '../files/outputs.js';

const nextStep = 'To find out what helps on your own data: npx anyclass recommend DATA --minutes 30';

export const demo = command({
  name: 'demo',
  summary: 'Train bce and any-bce on scenes of handwritten digits and show what helped',
  examples: [
    [
      'anyclass demo',
      '3 to 6 minutes on two cores; downloads nothing and writes runs and reports to runs/demo',
    ],
    ['anyclass demo --seed 2 --out runs/demo-2', 'the same with another seed'],
    ['anyclass demo --epochs 1 --out runs/glance', 'one minute; the network learns little'],
  ],
  options: z.object({
    seed: z.int().min(0).default(1).describe('seed for the weights and the image order'),
    epochs: z.int().min(1).default(6).describe('epochs per network'),
    out: z
      .string()
      .default('runs/demo')
      .describe('folder for both runs; finished ones are reused')
      .meta({ placeholder: 'DIR' }),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ seed, epochs, out, json }, terminal) {
    checkOutputFolder('--out', out);
    using interruption = interruptible(terminal);
    const { signal } = interruption;
    const result = await runDemo({ seed, epochs, out, onEvent: terminal.onEvent, signal });
    if (!result) {
      throw new UserError('Interrupted; run the same command again to resume', {
        exitCode: interruption.exitCode(),
      });
    }
    terminal.print(json ? JSON.stringify(result, null, 2) : `\n${demoText(result)}\n${nextStep}`);
    return result;
  },
});
