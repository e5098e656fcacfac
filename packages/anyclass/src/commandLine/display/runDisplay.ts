// Shows events on a terminal: a bar for work in progress, a line for what happened.

import type { RunEvent, RunEventListener, ValidatedEvent } from '../../events/runEvent.js';
import { ProgressBar, type ProgressOutput, roughDuration } from './progressBar.js';
import { runTime } from './runTime.js';

/**
 * Creates a listener that shows the progress of a run, of preprocessing or of other long work.
 *
 * @example
 * await train(configuration, { onEvent: runDisplay(process.stderr) });
 */
export function runDisplay(output: ProgressOutput, now = () => performance.now()): RunEventListener {
  let open: { readonly label: string; readonly bar: ProgressBar } | undefined;
  const endBar = () => {
    open?.bar.finish();
    open = undefined;
  };
  const advance = (work: Work) => {
    if (open?.label !== work.label) {
      endBar();
      const bar = new ProgressBar(work.label, work.total, work.unit, output, now);
      bar.startFrom(work.done);
      open = { label: work.label, bar };
    } else open.bar.reach(work.done, work.remark);
    if (work.done >= work.total) endBar();
  };
  const time = runTime(now);
  return (event) => {
    const { left, estimate } = time(event);
    if (estimate !== undefined) {
      endBar();
      output.write(`${estimate}\n`);
    }
    const work = workOf(event, left);
    if (work) return advance(work);
    const text = lineOf(event);
    if (text === undefined) return;
    endBar();
    output.write(`${text}\n`);
  };
}

/** Work with a known total, shown as a bar. */
interface Work {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly unit: string;
  readonly remark: string;
}

const megabyte = 1e6;

function workOf(event: RunEvent, runLeft?: string): Work | undefined {
  if (event.type === 'progress') {
    const { task: label, done, total, unit, remark = '' } = event;
    if (unit === 'bytes')
      return { label, done: done / megabyte, total: total / megabyte, unit: 'MB', remark };
    return { label, done, total, unit, remark };
  }
  if (event.type !== 'step') return undefined;
  const { epoch, epochs, images: done, imagesPerEpoch: total, unit, loss, dataWaitShare } = event;
  const waiting = `${Math.round(100 * dataWaitShare)}% waiting for ${unit}`;
  const whole = runLeft === undefined ? '' : `, run ${runLeft} left`;
  return {
    label: `epoch ${epoch}/${epochs}`,
    done,
    total,
    unit,
    remark: loss === null ? waiting : `loss ${loss.toFixed(4)}${whole}, ${waiting}`,
  };
}

function lineOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'note':
      return event.text;
    case 'started': {
      const { network, device, precision, run, resumed, expectedSeconds: time } = event;
      const line = `${network} on ${device} in ${precision}${time === undefined ? '' : `, ${roughDuration(time)} in all`}; run ${run}`;
      if (!resumed) return line;
      return `${line}\nResuming after epoch ${resumed.epoch}, step ${resumed.step} from ${resumed.checkpoint}`;
    }
    case 'validated':
      return epochLine(event);
    case 'interrupted':
      return event.checkpoint === undefined ? 'Interrupted' : `Interrupted; saved ${event.checkpoint}`;
    default:
      return undefined;
  }
}

function epochLine({ record }: ValidatedEvent): string {
  const { epoch, trainingLoss, validation, validationBce } = record;
  const percent = (value: number | null) => (value === null ? '–' : (100 * value).toFixed(2));
  const { macroF1, macroF2, mAP, f1Neg } = validation;
  return `epoch ${epoch}: loss ${trainingLoss.toFixed(4)}; validation F1 ${percent(macroF1)}, F2 ${percent(macroF2)}, mAP ${percent(mAP)}, F1-Neg ${percent(f1Neg)}, BCE ${validationBce.toFixed(4)}`;
}

/**
 * Describes what a run is doing in one line without a bar, for tables and lists of several runs.
 *
 * @example
 * workText({ type: 'progress', task: 'validation', done: 50, total: 100, unit: 'images' }) // 'validation 50/100 images'
 */
export function workText(event: RunEvent): string | undefined {
  const work = workOf(event);
  if (!work) return undefined;
  const count = (value: number) => Math.round(value).toLocaleString('en-US');
  const { label, done, total, unit, remark } = work;
  const rate =
    event.type === 'step' && event.imagesPerSecond !== null
      ? `, ${count(Math.round(event.imagesPerSecond))}/s`
      : '';
  return `${label} ${count(done)}/${count(total)} ${unit}${rate}${remark === '' ? '' : `, ${remark}`}`;
}
