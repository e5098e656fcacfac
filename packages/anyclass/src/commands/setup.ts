import { SetupError, setup as setUp } from '@anyclass/torch/setup';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { UserError } from '../errors/userError.js';
import { nativeProjects } from '../setup/nativeProjects.js';

export const setup = command({
  name: 'setup',
  summary: 'Find or install libtorch and build the native libraries, once per machine',
  examples: [
    ['anyclass setup', "the system's libtorch, installed from Debian's packages where it is missing"],
    ['LIBTORCH=/opt/libtorch anyclass setup', 'another libtorch: a folder with include and lib'],
    ['LIBTORCH_USE_PYTORCH=1 anyclass setup', 'the libtorch inside the torch of python3'],
  ],
  options: z.object({
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run(options, terminal) {
    try {
      const log = (line: string) => terminal.note(`setup: ${line}`);
      const result = await setUp({ projects: nativeProjects, log });
      const { version, origin, lib } = result.libtorch;
      terminal.print(
        options.json
          ? JSON.stringify(result, null, 2)
          : `libtorch ${version} in ${lib} (${origin}): ready. 'anyclass doctor' checks it.`,
      );
      return result;
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      throw new UserError(error.message, { cause: error });
    }
  },
});
