// What a run logged: curves by step, epochs, and lines to read. A page asks again with the offset it has read to.

import { open } from 'node:fs/promises';
import type { EpochPoint, LogLine, RunLog } from '@anyclass/studio';
import type { LoggedEvent } from '../runs/eventLog.js';
import { percent } from '../tables/percent.js';
import { loggedEvents } from './eventTail.js';

/** Bytes of a log that are read at a time; a page asks for the rest. */
const mostAtOnce = 32 << 20;

/** Points of a curve: more would not be visible. */
const mostPoints = 4000;

/**
 * Reads a log from an offset on.
 *
 * @example
 * const { steps, offset } = await readRunLog('runs/a/events.jsonl', 0);
 */
export async function readRunLog(path: string, from: number): Promise<RunLog> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const isWhole = from === 0 || size < from;
    const start = isWhole ? 0 : from;
    const bytes = Buffer.alloc(Math.min(size - start, mostAtOnce));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    const end = bytes.subarray(0, bytesRead).lastIndexOf(10) + 1;
    const events = loggedEvents(bytes.toString('utf8', 0, end));
    return {
      offset: start + end,
      isWhole,
      steps: stepCurves(events),
      epochs: events.flatMap(epochPoint),
      lines: events.flatMap(logLine),
    };
  } finally {
    await file.close();
  }
}

function stepCurves(events: readonly LoggedEvent[]): RunLog['steps'] {
  const all = events.filter((event) => event.type === 'step' && event.loss !== null);
  const stride = Math.ceil(all.length / mostPoints);
  const steps = all.flatMap((event, i) =>
    event.type === 'step' && (i % stride === 0 || i === all.length - 1) ? [event] : [],
  );
  return {
    at: steps.map(({ epoch, step, steps: of }) => epoch - 1 + step / Math.max(1, of)),
    loss: steps.map(({ loss }) => loss),
    rate: steps.map(({ rate }) => rate),
    imagesPerSecond: steps.map(({ imagesPerSecond }) => imagesPerSecond),
    dataWaitShare: steps.map(({ dataWaitShare }) => dataWaitShare),
    memory: steps.map(({ memory }) => memory ?? null),
    gpuMemory: steps.map(({ gpuMemory }) => gpuMemory ?? null),
  };
}

function epochPoint(event: LoggedEvent): EpochPoint[] {
  if (event.type !== 'validated') return [];
  const { epoch, trainingLoss, validationLoss, validation, seconds, imagesPerSecond } = event.record;
  const { mAP, macroF1, f1Neg, falseAlarmRate } = validation;
  return [
    { epoch, trainingLoss, validationLoss, mAP, macroF1, f1Neg, falseAlarmRate, seconds, imagesPerSecond },
  ];
}

function logLine(event: LoggedEvent): LogLine[] {
  const { time, type: kind } = event;
  const line = (text: string) => [{ time, kind, text }];
  switch (event.type) {
    case 'started':
      return line(
        event.resumed
          ? `resumed after epoch ${event.resumed.epoch} on ${event.device}`
          : `started: ${event.dataset}, ${event.network}, ${event.loss}, ${event.device}, ${event.precision}`,
      );
    case 'validated':
      return line(
        `epoch ${event.record.epoch}: loss ${event.record.trainingLoss.toFixed(4)}, validation mAP ${percent(event.record.validation.mAP)}, F1 ${percent(event.record.validation.macroF1)}`,
      );
    case 'saved':
      return line(`saved ${event.checkpoint}`);
    case 'note':
      return line(event.text);
    case 'interrupted':
      return line('interrupted');
    case 'failed':
      return line(`failed: ${event.message}`);
    case 'finished':
      return line('finished');
    default:
      return [];
  }
}
