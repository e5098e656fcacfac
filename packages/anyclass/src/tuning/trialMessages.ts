// What a worker and the process of its trial say to each other.

import { z } from 'zod';

/** The task, as the process finds it in its arguments. */
export const trialTask = z.object({
  configuration: z.unknown(),
  /** Of the run. */
  folder: z.string(),
});

export type TrialTask = z.output<typeof trialTask>;

/** From the trial. */
export const trialMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), text: z.string() }),
  z.object({ kind: z.literal('epoch'), epoch: z.int(), value: z.number().nullable() }),
  z.object({ kind: z.literal('finished') }),
  z.object({ kind: z.literal('interrupted') }),
  z.object({ kind: z.literal('failed'), reason: z.string(), hasBegun: z.boolean() }),
]);

export type TrialMessage = z.output<typeof trialMessage>;

/** To the trial: the answer to an epoch, or the wish that it end. */
export const workerMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('verdict'), isOver: z.boolean() }),
  z.object({ kind: z.literal('interrupt') }),
]);

export type WorkerMessage = z.output<typeof workerMessage>;
