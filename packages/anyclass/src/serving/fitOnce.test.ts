// A decision with another budget is fitted once, when the model opens: not for a request, and not a second time for what is shown.

import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setSeed } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { validateConfiguration } from '../configuration/validate.js';
import { modelDecision } from '../inference/modelDecision.js';
import { createNetwork } from '../networks/createNetwork.js';
import { saveModel } from '../runs/modelFile.js';
import { createRunFolder, saveRunRecord } from '../runs/runFolder.js';
import { writeTable } from '../runs/scoreFiles.js';
import type { ServeOptions } from './operation/options.js';
import { serve } from './serve.js';

const folder = testFolder();
const classes = ['crack', 'roots'];
const features = ['width', 'height'];

/** A run whose saved scores are large enough that reading them shows among all that a process reads. */
function saveRun() {
  const paths = createRunFolder(join(folder, 'run'));
  const configuration = validateConfiguration({
    data: { dataset: 'pipes.csv' },
    network: { name: 'linear' },
  });
  saveRunRecord(paths, {
    configuration,
    versions: {},
    classes,
    datasetFingerprint: '',
    started: '2026-01-31',
  });
  setSeed(1);
  using network = createNetwork('linear', { classes: 2, inputSize: 2 });
  const description = { classes, features, epoch: 1, loss: 'bce', dataset: 'pipes.csv' };
  saveModel(paths.model, { network, description });
  mkdirSync(paths.scores, { recursive: true });
  const names = Array.from({ length: 60_000 }, (_, row) => `pipes of the north/${row}.png`);
  const ofRows = (value: (row: number, j: number) => number) =>
    names.flatMap((_, row) => classes.map((_, j) => value(row, j)));
  const write = (name: string, values: number[]) =>
    void writeTable(join(paths.scores, name), { names, classNames: classes, values });
  write(
    'validation.csv',
    ofRows((row, j) => Math.fround(((row * 37 + j * 11) % 997) / 1000)),
  );
  write(
    'validation-labels.csv',
    ofRows((row, j) => Number(row % 5 === j)),
  );
  return { run: paths.folder, scores: paths.scores, description };
}

/** The bytes that this process reads from files meanwhile, in all of its threads. */
async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  const read = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
  const before = read();
  await work();
  return read() - before;
}

test.runIf(process.platform === 'linux')(
  'a server reads the scores that it fits a decision on once, and never again',
  async () => {
    const { run, scores, description } = saveRun();
    const decision = { budget: { falseAlarms: 0.02 } };
    const fit = await bytesRead(() => modelDecision(run, description, decision));
    expect(fit).toBeGreaterThan(2e6);
    const quiet: ServeOptions = { port: 0, device: 'cpu', drain: 0, log: () => {} };
    const opened = (options: ServeOptions) =>
      bytesRead(async () => (await serve([run], { ...quiet, ...options })).close());
    await opened({}); // modules are loaded
    const extra = (await opened({ decision })) - (await opened({}));
    expect(extra / fit).toBeGreaterThan(0.8);
    expect(extra / fit).toBeLessThan(1.5);

    await using server = await serve([run], { ...quiet, decision });
    renameSync(scores, `${scores} elsewhere`);
    const gate = server.models()[0]?.decision;
    expect(gate).toMatchObject({ budget: { falseAlarms: 0.02 } });
    for (let request = 0; request < 3; request++) {
      const asked = { row: [0.2, 0.5] };
      const answer = await fetch(`${server.url}/v1/predict`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(asked),
      });
      expect(answer.status).toBe(200);
    }
    expect(server.models()[0]?.decision).toEqual(gate);
  },
  60_000,
);
