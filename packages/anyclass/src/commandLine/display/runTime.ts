import type { RunEvent } from '../../events/runEvent.js';
import { duration } from './progressBar.js';

/** What is known about a run's time after an event. */
export interface RunTime {
  /** The rest of all epochs with their validations, and of judging; undefined until a speed is known, and in the last epoch's bar. */
  readonly left?: string;
  /** A line to say once, when the speed is first known. */
  readonly estimate?: string;
}

/** Milliseconds of training before the first estimate, which also takes half an epoch or a minute: a GPU spends its first seconds on preparing steps. */
const settling = 5000;
const patience = 60_000;

/**
 * Returns a function that follows a run's events. Judging scores validation and test again and is taken to cost two validations.
 *
 * @example
 * const time = runTime();
 * time({ type: 'note', text: 'hello' }) // {}
 */
export function runTime(now = () => performance.now()): (event: RunEvent) => RunTime {
  let firstStep: number | undefined;
  let hasEstimate = false;
  let validationSince: number | undefined;
  let validation: number | undefined;
  return (event) => {
    if (event.type === 'progress' && event.task === 'validation') {
      if (event.done === 0) validationSince = now();
      else if (event.done >= event.total && validationSince !== undefined)
        validation = (now() - validationSince) / 1000;
    }
    if (event.type !== 'step') return {};
    firstStep ??= now();
    const { epoch, epochs, secondsLeft } = event;
    if (secondsLeft === null) return {};
    const left = duration(secondsLeft + (epochs - epoch + 3) * (validation ?? 0));
    const passed = now() - firstStep;
    const isEarly = epoch === 1 && event.images < event.imagesPerEpoch / 2 && passed < patience;
    if (hasEstimate || passed < settling || isEarly) return { left };
    hasEstimate = true;
    const rest =
      validation === undefined ? '; validation and judging come on top' : ', with validation and judging';
    return {
      left,
      estimate: `About ${left} for the rest of ${epochs} ${epochs === 1 ? 'epoch' : 'epochs'}${rest}`,
    };
  };
}
