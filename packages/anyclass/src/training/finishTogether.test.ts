// What ranks exchange when a run ends. Ranks that do not take the same steps wait for each other until the timeout, so every
// collective of one must be one of the others, in the same order and of the same kind.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { distributed, keep, noGrad, type Tensor } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { Ranks } from '../distribution/ranks.js';
import { createRunFolder, runPaths } from '../runs/runFolder.js';
import { activeRun } from './activeRun.js';
import { saveEpochWeights } from './bestWeights.js';
import { openRunData } from './dataForRun.js';
import { finishRun } from './finishRun.js';
import { createSession, type Session } from './session.js';
import { scoreSplit } from './validate.js';

const folder = testFolder();

/** A collective: what it does, and with what. */
interface Step {
  readonly kind: string;
  readonly result: Tensor;
}

/** Stands in for a group of two processes, of which the first runs first: the second then gets what the first has sent. */
class TwoInTurn extends distributed.ProcessGroup {
  readonly steps: Step[] = [];
  readonly first: TwoInTurn | undefined;

  constructor(first?: TwoInTurn) {
    const rank = first ? 1 : 0;
    super(-1, { rank, worldSize: 2, localRank: rank, localWorldSize: 2, backend: 'gloo' });
    this.first = first;
  }

  override broadcast(own: Tensor): distributed.Work<Tensor> {
    const sent = this.take('broadcast', own);
    if (sent) noGrad(() => own.copy_(sent));
    return done(own);
  }

  override allGather(own: Tensor): distributed.Work<Tensor[]> {
    const sent = this.take('allGather', own);
    // The first rank cannot know yet what the second has; here both have as many rows.
    return done([keep((sent ?? own).clone()), keep(own.clone())]);
  }

  override allReduce(): never {
    throw new Error('nothing is added at the end of a run');
  }

  override barrier(): never {
    throw new Error('nothing waits at the end of a run');
  }

  /** Notes a collective; returns what the first rank had in it. */
  private take(name: string, own: Tensor): Tensor | undefined {
    // Before what they gather, ranks gather its sizes, which are the same here.
    const size = name === 'allGather' && own.dtype === 'float64' ? ` = ${own.toNumber()}` : '';
    const kind = `${name} of ${own.dtype}[${own.shape.join()}]${size}`;
    const expected = this.first?.steps[this.steps.length];
    this.steps.push({ kind, result: keep(own.detach().clone()) });
    if (this.first && expected?.kind !== kind)
      throw new Error(
        `rank 1 takes step ${this.steps.length}, ${kind}, where rank 0 takes ${expected?.kind}`,
      );
    return expected?.result;
  }
}

function done<Value>(value: Value): distributed.Work<Value> {
  return { wait: () => value, finished: async () => value, isDone: true };
}

/** Finishes a run on one rank; `prepare` makes of its new session one that has trained. */
async function finishAs(
  group: TwoInTurn,
  run: string,
  given: ConfigurationInput,
  prepare: (session: Session, ranks: Ranks) => Promise<void>,
): Promise<void> {
  const configuration = validateConfiguration(given);
  const { rank, worldSize, localRank, localWorldSize, backend } = group;
  const ranks = { rank, worldSize, localRank, localWorldSize, backend, isFirst: rank === 0, group };
  const data = await openRunData(configuration);
  try {
    using session = createSession(configuration, data, { ranks });
    await prepare(session, ranks);
    const summary = await finishRun(session, activeRun(run, {}, ranks));
    expect(summary === undefined).toBe(rank !== 0);
  } finally {
    await data.close();
  }
}

/** The kinds of collectives with which both ranks finish a run. */
async function stepsOf(
  name: string,
  changed: Pick<ConfigurationInput, 'finalWeights'> & { evaluation?: ConfigurationInput['evaluation'] },
  { splits, bestEpoch, validatedEpoch }: { splits: string[]; bestEpoch?: number; validatedEpoch?: number },
): Promise<string[]> {
  const rows = Array.from({ length: 12 * splits.length }, (_, i) => {
    const split = splits[i % splits.length];
    return `${i},${split},${Number(i % 5 === 0)},${Number(i % 7 === 0)},${Math.sin(i)},${Math.cos(3 * i)}`;
  });
  const dataset = join(folder, `${name}.csv`);
  writeFileSync(dataset, `Filename,split,dry,sour,feature_0,feature_1\n${rows.join('\n')}\n`);
  const given: ConfigurationInput = {
    data: { dataset },
    network: { name: 'linear' },
    batchSize: 8,
    device: 'cpu',
    threads: 1,
    ...changed,
    evaluation: { replicates: 0, ...changed.evaluation },
  };
  const run = createRunFolder(join(folder, name)).folder;
  mkdirSync(runPaths(run).checkpoints, { recursive: true });
  let before = 0;
  const prepare = async (session: Session, ranks: Ranks) => {
    session.progress.epoch = 2;
    if (bestEpoch !== undefined && ranks.isFirst) {
      const file = saveEpochWeights(session, runPaths(run), bestEpoch);
      session.progress.best[session.configuration.bestBy] = { epoch: bestEpoch, value: 0.5, file };
    }
    if (validatedEpoch !== undefined) {
      const scores = await scoreSplit(session, 'validation', activeRun(run, {}, ranks));
      session.validated = { epoch: validatedEpoch, scores };
    }
    before = (ranks.group as TwoInTurn).steps.length;
  };
  const first = new TwoInTurn();
  await finishAs(first, run, given, prepare);
  const second = new TwoInTurn(first);
  await finishAs(second, run, given, prepare);
  const kinds = ({ steps }: TwoInTurn) => steps.map(({ kind }) => kind);
  expect(kinds(second)).toEqual(kinds(first));
  return kinds(first).slice(before);
}

const three = ['train', 'validation', 'test'];

test('ranks take the same steps to the end of a run, whatever it has to score', async () => {
  const last = await stepsOf('last', { finalWeights: 'last' }, { splits: three });
  // Rows, logits and labels of each split.
  const gathered = (steps: string[]) =>
    steps.filter((kind) => /^allGather of uint8\[\d{2,}/.test(kind)).length;
  expect(gathered(last)).toBe(6);
  const held = await stepsOf('held', { finalWeights: 'last' }, { splits: [...three, 'decision'] });
  expect(gathered(held)).toBe(9);
  const untested = await stepsOf(
    'untested',
    { finalWeights: 'last', evaluation: { test: false } },
    { splits: three },
  );
  expect(gathered(untested)).toBe(3);
});

test('ranks agree whether validation was scored with the chosen weights already', async () => {
  const known = await stepsOf('known', {}, { splits: three, bestEpoch: 2, validatedEpoch: 2 });
  const earlier = await stepsOf('earlier', {}, { splits: three, bestEpoch: 1, validatedEpoch: 2 });
  expect(earlier.length).toBeGreaterThan(known.length);
});
