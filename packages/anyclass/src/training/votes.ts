// What ranks decide together at a step: to stop, when any of them is asked to, and to save, when the first finds it time. The
// question travels while the step computes, and the answer is there when it ends.

import { type distributed, type Tensor, tensor } from '@anyclass/torch';
import type { Ranks } from '../distribution/ranks.js';

export interface Votes {
  readonly stop: boolean;
  readonly save: boolean;
}

/**
 * Asks all ranks; what the returned function gives is the same on each.
 *
 * @example
 * const decide = startVote(ranks, () => ({ stop: signal.aborted, save: clock.isCheckpointDue() }));
 * computeStep();
 * const { stop, save } = decide();
 */
export function startVote(ranks: Ranks | undefined, own: () => Votes): () => Votes {
  if (!ranks) return own; // asked when the step is over
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
