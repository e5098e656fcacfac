// Decisions that ranks make together at each step: to stop, if any of them is asked to, and to save, if the
// first finds that a checkpoint is due. The votes are exchanged while the step computes, and the result is
// available when it ends.

import { type distributed, type Tensor, tensor } from '@anyclass/torch';
import type { Ranks } from '../distribution/ranks.js';

export interface Votes {
  readonly stop: boolean;
  readonly save: boolean;
}

/**
 * Starts a vote among all ranks; the returned function gives the same result on each.
 *
 * @example
 * const decide = startVote(ranks, () => ({ stop: signal.aborted, save: clock.isCheckpointDue() }));
 * computeStep();
 * const { stop, save } = decide();
 */
export function startVote(ranks: Ranks | undefined, own: () => Votes): () => Votes {
  if (!ranks) return own; // evaluated after the step
  const { stop, save } = own();
  const ballots = tensor(Float32Array.of(Number(stop), Number(save && ranks.isFirst)));
  const work = ranks.group.allReduce(ballots);
  return () => countedNow(work);
}

/** Whether any rank says so. */
export async function anyRank(ranks: Ranks | undefined, isSo: boolean): Promise<boolean> {
  if (!ranks) return isSo;
  const sum = await ranks.group.allReduce(tensor(Float32Array.of(Number(isSo)))).finished();
  const [count = 0] = sum.toFloat32Array();
  sum.dispose();
  return count > 0;
}

function countedNow(work: distributed.Work<Tensor>): Votes {
  const counted = work.wait();
  const [stops = 0, saves = 0] = counted.toFloat32Array();
  counted.dispose();
  return { stop: stops > 0, save: saves > 0 };
}
