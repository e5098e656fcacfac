import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { checkOutputFile, writeOutput } from '../files/outputs.js';
import { playgroundPage } from '../playground/playgroundPage.js';
import { force } from './datasetOptions.js';

export const playground = command({
  name: 'playground',
  summary: 'Write an interactive page that plots the likelihoods and losses of two classes',
  examples: [
    ['anyclass playground --open', 'writes playground.html and opens it in the browser'],
    ['anyclass playground --out pages/surfaces.html', 'one file that works offline; send it to anyone'],
  ],
  options: z.object({
    out: z.string().default('playground.html').describe('the file to write').meta({ placeholder: 'FILE' }),
    open: z.boolean().default(false).describe('open the page in the browser'),
    force,
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ out, open, force, json }, terminal) {
    checkOutputFile('--out', out, { kind: 'an HTML page', force });
    const html = await playgroundPage();
    writeOutput('--out', out, html);
    const written = { file: resolve(out), bytes: Buffer.byteLength(html) };
    terminal.print(json ? JSON.stringify(written) : `wrote ${out}; open it in any browser`);
    if (open) await openInBrowser(written.file, terminal.note);
    return written;
  },
});

async function openInBrowser(file: string, note: (text: string) => void): Promise<void> {
  const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['cmd', '/c', 'start', ''],
  };
  const [program, ...words] = openers[process.platform] ?? ['xdg-open'];
  const address = pathToFileURL(file).href;
  const child = spawn(program, [...words, address], { stdio: 'ignore', detached: true });
  await new Promise<void>((done) => {
    child.once('spawn', done);
    child.once('error', () => {
      note(`${program} not found; open ${address} in your browser`);
      done();
    });
  });
  child.unref();
}
