import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { diagnose, diagnosisText } from '../doctor/diagnosis.js';
import { UserError } from '../errors/userError.js';

export const doctor = command({
  name: 'doctor',
  summary: 'Check libtorch, BLAS, threads and devices',
  examples: [
    ['anyclass doctor', 'a short report; exit code 1 if libtorch cannot be loaded'],
    ['anyclass doctor --json', 'the same as JSON'],
  ],
  options: z.object({
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run(options, terminal) {
    const diagnosis = await diagnose();
    terminal.print(options.json ? JSON.stringify(diagnosis, null, 2) : diagnosisText(diagnosis));
    if (diagnosis.failure) throw new UserError('libtorch could not be loaded');
    return diagnosis;
  },
});
