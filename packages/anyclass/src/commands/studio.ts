import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import { counted } from '../errors/counted.js';
import { reasonOf } from '../errors/reasonOf.js';

export const studio = command({
  name: 'studio',
  summary: 'Watch runs, set their price and look at their mistakes, in a browser',
  positionals: [{ field: 'folders', placeholder: 'FOLDER…', rest: true }],
  examples: [
    ['anyclass studio', 'all runs below this folder; open the printed address'],
    ['anyclass studio runs /data/tiles', 'runs and images that are in different folders'],
    ['anyclass studio runs --port 8200', 'a fixed port, for ssh -L 8200:127.0.0.1:8200 HOST'],
  ],
  options: z.object({
    folders: z
      .array(z.string())
      .default(['.'])
      .describe('folders with runs and their images; nothing outside of them is shown'),
    port: z.int().min(0).max(65_535).default(0).describe('port of the page; 0 picks a free one'),
    host: z
      .string()
      .default('127.0.0.1')
      .describe('address to listen on; others than this machine can reach it only if you change it')
      .meta({ placeholder: 'ADDRESS' }),
    allowHost: z
      .array(z.string())
      .default([])
      .describe('host name by which it may be asked, behind a proxy; may be repeated')
      .meta({ placeholder: 'NAME' }),
    json: z.boolean().default(false).describe('print the address as JSON'),
  }),
  async run({ folders, port, host, allowHost, json }, terminal) {
    // Loaded here because no other command needs its libraries.
    const { openStudio } = await import('../studio/studio.js');
    using interruption = interruptible(terminal, 'Stopping', 5);
    const given = folders.length === 0 ? ['.'] : folders;
    await using server = await openStudio(given, {
      port,
      host,
      allowHost,
      onUnexpected: (error) => terminal.note(`A request failed: ${reasonOf(error)}`),
    });
    const { url, runs } = server;
    terminal.print(
      json
        ? JSON.stringify({ url, runs })
        : `${counted(runs, 'run')} in ${given.join(', ')}: open ${url}\nThe address holds a token; press Ctrl-C to stop`,
    );
    if (!interruption.signal.aborted)
      await new Promise((end) => interruption.signal.addEventListener('abort', end));
    return { url, runs };
  },
});
