import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { diagnose, diagnosisText } from '../doctor/diagnosis.js';
import { UserError } from '../errors/userError.js';

export const doctor = command({
  name: 'doctor',
  summary: 'Say which libtorch, BLAS, threads and devices are used, and what is wrong with them',
  examples: [
    ['anyclass doctor', 'a few lines; exit code 1 if nothing can be computed'],
    ['anyclass doctor --json', 'the same for a program'],
  ],
  options: z.object({
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run(options, terminal) {
    const diagnosis = await diagnose();
    terminal.print(options.json ? JSON.stringify(diagnosis, null, 2) : diagnosisText(diagnosis));
    if (diagnosis.failure) throw new UserError('the engine does not work here');
    return diagnosis;
  },
});
