import { readFileSync } from 'node:fs';
import { fileProblem } from '@anyclass/files';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { drawnShareField } from '../commandLine/grammar/shares.js';
import { interruptible } from '../commandLine/interruption.js';
import { counted } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { checkInputFile } from '../files/inputs.js';
import { serveFields } from '../serving/operation/options.js';
import type { Server } from '../serving/serve.js';
import { candidatesField, decisionFields } from './decisionOptions.js';
import { requestedDecision, thresholdField } from './requestedDecision.js';

export const serveModels = command({
  name: 'serve',
  summary: 'Serve models over HTTP, with a page to try images',
  positionals: [{ field: 'models', placeholder: '[NAME=]RUN|MODEL…', rest: true }],
  examples: [
    ['anyclass serve runs/sewer', 'then: curl --data-binary @photo.jpg localhost:8080/v1/predict'],
    ['anyclass serve sewer.onnx', 'an exported model, without libtorch'],
    ['anyclass serve pipes=runs/a joints=runs/b', 'two models: /v1/predict?model=pipes'],
    [
      'ANYCLASS_TOKEN=… anyclass serve runs/sewer --host 0.0.0.0 --allow-host ml.example.com',
      'reachable from other machines, with a token',
    ],
    ['anyclass serve runs/sewer --log-predictions predictions.jsonl', 'keep predictions to label later'],
    [
      'anyclass serve pipes=runs/a --shadow pipes=runs/b --log-predictions predictions.jsonl --audit 0.02',
      'a new model beside the old one: monitor compares them on the same labels',
    ],
  ],
  options: z.object({
    models: z
      .array(z.string())
      .min(1)
      .describe("runs, model.safetensors or exported .onnx files; NAME= sets the model's name"),
    ...serveFields,
    audit: drawnShareField()
      .optional()
      .describe(
        'draw this share of all images to be labeled, 0.02 or 2%, and log which; monitor then judges the promise',
      ),
    tokenFile: z
      .string()
      .optional()
      .describe('require the bearer token in FILE; or set ANYCLASS_TOKEN')
      .meta({ placeholder: 'FILE' }),
    ...decisionFields,
    candidates: candidatesField,
    threshold: thresholdField,
    json: z.boolean().default(false).describe('print what is served as JSON'),
  }),
  async run(options, terminal) {
    const { models, tokenFile, json, ...given } = options;
    const { falseAlarms, missed, per, confidence, f1Neg, beta, rule, candidates, threshold, ...settings } =
      given;
    const token = givenToken(tokenFile);
    const fit = { falseAlarms, missed, per, confidence, f1Neg, beta, rule, candidates, threshold };
    const decision = requestedDecision(fit);
    // Loaded here because no other command needs its libraries.
    const { serve } = await import('../serving/serve.js');
    using interruption = interruptible(
      terminal,
      'Finishing open requests; press Ctrl-C again to quit immediately',
      settings.drain + settings.timeout + 10,
    );
    await using server = await serve(models, { ...settings, token, decision });
    using _survival = server.surviveErrors();
    terminal.print(json ? JSON.stringify({ url: server.url, models: server.models() }) : servingText(server));
    if (!isLocal(settings.host) && token === undefined)
      terminal.note(
        'Warning: no token is set, so anyone who can reach this address can use it (--token-file, ANYCLASS_TOKEN).',
      );
    const onHangUp = () => void server.reload();
    process.on('SIGHUP', onHangUp);
    if (!interruption.signal.aborted)
      await new Promise((end) => interruption.signal.addEventListener('abort', end));
    process.off('SIGHUP', onHangUp);
    await server.close();
    return server.url;
  },
});

/**
 * Reads the token from a file or the environment, because everyone on the machine can read a command line.
 */
function givenToken(file: string | undefined): string | undefined {
  if (file === undefined) return process.env['ANYCLASS_TOKEN'] || undefined;
  if (process.env['ANYCLASS_TOKEN'])
    throw new UsageError('ANYCLASS_TOKEN is also set; use one of the two', 'tokenFile');
  checkInputFile(file, '--token-file');
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${fileProblem(error)}`);
  }
  if (text === '') throw new UserError(`${file} is empty; expected a token`);
  return text;
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function servingText(server: Server): string {
  const models = server
    .models()
    .map(
      ({ name, network, classes, device, runtime, precision }) =>
        `  ${name}: ${network}, ${counted(classes.length, 'class')}, ${runtime} on ${device}, ${precision}`,
    );
  return [`Serving at ${server.url} (API: ${server.url}/docs)`, ...models].join('\n');
}
