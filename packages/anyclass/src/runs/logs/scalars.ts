import type { RunEvent } from '../../events/runEvent.js';
import { limitedRate } from '../eventLog.js';

/** Numbers at a step of the whole run, by their tags. */
export interface Scalars {
  readonly step: number;
  readonly values: Readonly<Record<string, number>>;
}

/**
 * Returns a function that turns events into scalars: steps about once a second, and every validation at the last step of its
 * epoch; undefined for other events.
 *
 * @example
 * const next = scalarsOf();
 * next({ type: 'note', text: 'hello' }) // undefined
 */
export function scalarsOf(now = () => Date.now()): (event: RunEvent) => Scalars | undefined {
  const passes = limitedRate(1000, now);
  let stepsPerEpoch = 1;
  return (event) => {
    if (event.type === 'step') {
      stepsPerEpoch = event.steps;
      if (!passes(event)) return undefined;
      const { loss, rate, imagesPerSecond, dataWaitShare } = event;
      return {
        step: (event.epoch - 1) * event.steps + event.step,
        values: defined({
          'training/loss': loss,
          'training/rate': rate,
          'speed/images per second': imagesPerSecond,
          'speed/share waiting for images': dataWaitShare,
        }),
      };
    }
    if (event.type !== 'validated') return undefined;
    const { epoch, trainingLoss, validationLoss, validationBce, validation } = event.record;
    return {
      step: epoch * stepsPerEpoch,
      values: defined({
        'epoch/training loss': trainingLoss,
        'epoch/validation loss': validationLoss,
        'epoch/validation BCE': validationBce,
        'validation/mAP': validation.mAP,
        'validation/F1': validation.macroF1,
        'validation/F2': validation.macroF2,
        'validation/F1-Neg': validation.f1Neg,
        'validation/false alarms': validation.falseAlarmRate,
      }),
    };
  };
}

function defined(values: Readonly<Record<string, number | null>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([tag, value]) =>
      value === null || !Number.isFinite(value) ? [] : [[tag, value]],
    ),
  );
}
