// The log of a run, read on while it grows.

import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../state/server.js';
import type { EpochPoint, RunLog, StepCurves } from '../../wire/runs.js';

/** Reads the log of a run, and reads on whenever `version` changes. Undefined until the first answer; null if there is no log. */
export function useRunLog(run: string, version: string): RunLog | null | undefined {
  const [log, setLog] = useState<{ readonly run: string; readonly log: RunLog | null }>();
  const known = log?.run === run ? log.log : undefined;
  useEffect(() => {
    const aborted = new AbortController();
    ask<RunLog>('run/log', { run, from: known?.offset ?? 0 }, aborted.signal).then(
      (more) => setLog({ run, log: known ? joined(known, more) : more }),
      () => {
        if (!aborted.signal.aborted && known === undefined) setLog({ run, log: null });
      },
    );
    return () => aborted.abort();
  }, [run, version]);
  return known;
}

/** Joins what was read before with what came after; a resumed run repeats epochs, and the later ones count. */
function joined(before: RunLog, more: RunLog): RunLog {
  if (more.isWhole) return more;
  return {
    offset: more.offset,
    isWhole: false,
    steps: joinedSteps(before.steps, more.steps),
    epochs: latest([...before.epochs, ...more.epochs]),
    lines: [...before.lines, ...more.lines],
  };
}

function latest(epochs: readonly EpochPoint[]): EpochPoint[] {
  return [...new Map(epochs.map((point) => [point.epoch, point])).values()].sort((a, b) => a.epoch - b.epoch);
}

function joinedSteps(before: StepCurves, more: StepCurves): StepCurves {
  const first = more.at[0];
  const kept = first === undefined ? before.at.length : before.at.filter((at) => at < first).length;
  const join = <Value>(a: readonly Value[], b: readonly Value[]) => [...a.slice(0, kept), ...b];
  return {
    at: join(before.at, more.at),
    loss: join(before.loss, more.loss),
    rate: join(before.rate, more.rate),
    imagesPerSecond: join(before.imagesPerSecond, more.imagesPerSecond),
    dataWaitShare: join(before.dataWaitShare, more.dataWaitShare),
    memory: join(before.memory, more.memory),
    gpuMemory: join(before.gpuMemory, more.gpuMemory),
  };
}

/** Steps in order: after a resume, what was trained before and is repeated is left out. */
export function inOrder(steps: StepCurves): StepCurves {
  const keep: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let i = steps.at.length - 1; i >= 0; i--) {
    if (steps.at[i]! >= least) continue;
    least = steps.at[i]!;
    keep.push(i);
  }
  keep.reverse();
  const pick = <Value>(values: readonly Value[]) => keep.map((i) => values[i]!);
  return {
    at: pick(steps.at),
    loss: pick(steps.loss),
    rate: pick(steps.rate),
    imagesPerSecond: pick(steps.imagesPerSecond),
    dataWaitShare: pick(steps.dataWaitShare),
    memory: pick(steps.memory),
    gpuMemory: pick(steps.gpuMemory),
  };
}
