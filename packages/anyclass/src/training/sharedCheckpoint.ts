// Shares a checkpoint that the first rank has read with all ranks, so that the others need no access to the
// run folder.

import { type Dtype, type Tensor, zeros } from '@anyclass/torch';
import { copyFromFirstNow, fromFirst } from '../distribution/exchange.js';
import type { Ranks } from '../distribution/ranks.js';
import type { Checkpoint, CheckpointState } from './checkpoint.js';

interface Outline {
  readonly tensors: readonly {
    readonly name: string;
    readonly shape: readonly number[];
    readonly dtype: Dtype;
  }[];
  readonly state: CheckpointState;
}

/** Returns the first rank's checkpoint on every rank; undefined if it found none. */
export async function sharedCheckpoint(
  ranks: Ranks | undefined,
  own: Checkpoint | undefined,
): Promise<Checkpoint | undefined> {
  if (!ranks) return own;
  const outline = await fromFirst<Outline | null>(ranks, () => (own ? outlineOf(own) : null));
  if (!outline) return undefined;
  const checkpoint = own ?? {
    tensors: new Map(outline.tensors.map(({ name, shape, dtype }) => [name, zeros(shape, { dtype })])),
    state: outline.state,
  };
  copyFromFirstNow(ranks, checkpoint.tensors.values());
  return checkpoint;
}

function outlineOf({ tensors, state }: Checkpoint): Outline {
  return {
    tensors: Array.from(tensors, ([name, { shape, dtype }]: [string, Tensor]) => ({ name, shape, dtype })),
    state,
  };
}
