// A queue of images for people to label, as a file that Studio shows.

import { readFileSync } from 'node:fs';
import { OUTCOMES } from '@anyclass/core';
import { z } from 'zod';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';

const queuedImage = z.object({
  /** Its path; absolute, so that the queue can be moved. */
  image: z.string().min(1),
  /** The probability that any class is present. */
  presence: z.number(),
  outcome: z.enum(['clear', 'review', 'alarm']),
  /** What the model predicts. */
  labels: z.array(z.string()),
});
const imageQueue = z.object({
  /** Why these: `mine` for likely false alarms, `select` for those next to the gate. */
  queue: z.enum(['mine', 'select']),
  model: z.string(),
  classes: z.array(z.string()),
  /** How many images they were chosen from. */
  among: z.int(),
  images: z.array(queuedImage),
});

export type ImageQueue = z.output<typeof imageQueue>;
export type QueuedImage = z.output<typeof queuedImage>;

/** Returns the text of a queue's file. */
export function queueText(queue: ImageQueue): string {
  return `${JSON.stringify(queue, null, 1)}\n`;
}

/**
 * Reads a queue.
 *
 * @throws UserError if the file is no queue
 *
 * @example
 * readQueue('mined.json').images[0]?.outcome // 'alarm'
 */
export function readQueue(path: string): ImageQueue {
  const parsed = imageQueue.safeParse(parsedJson(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new UserError(`${path} is no queue of images; write one with anyclass mine or anyclass select`);
}

/** Alarms first, then what goes to review, each by presence. */
export function likeliestFirst(a: QueuedImage, b: QueuedImage): number {
  return OUTCOMES.indexOf(b.outcome) - OUTCOMES.indexOf(a.outcome) || b.presence - a.presence;
}
