import { type DownloadWish, officialArchives, SetupError, setup as setUp } from '@anyclass/torch/setup';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { nativeProjects, prebuiltLibraries } from '../setup/nativeProjects.js';

const variants = [...new Set(officialArchives().map(({ variant }) => variant))];

export const setup = command({
  name: 'setup',
  summary: 'Find, install or download libtorch and build the native libraries, once per machine',
  examples: [
    ['anyclass setup', "the system's libtorch; installs Debian's package if it is missing"],
    ['LIBTORCH=/opt/libtorch anyclass setup', 'another libtorch: a folder with include and lib'],
    ['LIBTORCH_USE_PYTORCH=1 anyclass setup', 'the libtorch that is part of PyTorch in python3'],
    [
      'anyclass setup --download cpu --sha256 1f0c…',
      'the official libtorch for the CPU, if it has this hash, into your cache',
    ],
  ],
  options: z.object({
    download: z
      .enum(variants)
      .optional()
      .meta({ bare: 'cpu' })
      .describe('download the official libtorch for the CPU or for a CUDA version'),
    mirror: z
      .url()
      .optional()
      .describe('download from this address instead of pytorch.org')
      .meta({ placeholder: 'ADDRESS' }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')
      .optional()
      .describe("the archive's hash, for an archive that this version has not pinned")
      .meta({ placeholder: 'HASH' }),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ download, mirror, sha256, json }, terminal) {
    for (const [name, value] of Object.entries({ mirror, sha256 }))
      if (value !== undefined && download === undefined)
        throw new UsageError('has no effect without a download', name);
    const wish: DownloadWish | undefined =
      download === undefined
        ? undefined
        : { variant: download, ...(mirror && { mirror }), ...(sha256 && { sha256 }) };
    try {
      const result = await setUp({
        projects: nativeProjects,
        prebuilt: prebuiltLibraries,
        ...(wish && { download: wish }),
        log: (line) => terminal.note(`setup: ${line}`),
      });
      const { version, origin, lib } = result.libtorch;
      terminal.print(
        json
          ? JSON.stringify(result, null, 2)
          : `libtorch ${version} in ${lib} (${origin}) is ready. Check it with 'anyclass doctor'.`,
      );
      return result;
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      const next = { command: 'setup', options: { download: 'cpu' } };
      throw new UserError(error.message, { cause: error, ...(error.code === 'no-libtorch' && { next }) });
    }
  },
});
