// Which shift the site of the field test has: of several darker and blurred ones, that with the most false alarms on validation.
// Some shifts make a network see less, not more, and keep the promise; a field test needs one that breaks it.

import { openPredictor } from 'anyclass';
import type { Photos, Shift } from './streams.js';

const [brightnesses, blurs] = [
  [0.75, 0.5, 0.3],
  [0.5, 1, 2],
];

export interface JudgedShift {
  readonly shift: Shift;
  /** The share of validation's negatives that alarm under it. */
  readonly negativesAlarmed: number;
}

/** Judges every shift on negatives of validation, the worst first. */
export async function judgedShifts(
  run: string,
  photos: Photos,
  validation: readonly number[],
  { negativesWith, device }: { readonly negativesWith: readonly string[]; readonly device: string },
): Promise<JudgedShift[]> {
  using predictor = await openPredictor(run, { device, batchSize: 100 });
  const rows = validation
    .filter((row) => photos.isNegative(row) && photos.shows(row, negativesWith))
    .slice(0, 500);
  const judged: JudgedShift[] = [];
  for (const brightness of brightnesses) {
    for (const blur of blurs) {
      const shift = { brightness, blur, negativesWith };
      const images = rows.map((row) => ({
        name: String(row),
        read: async () => ({ kind: 'encoded' as const, bytes: await photos.encoded(row, shift) }),
      }));
      let alarms = 0;
      for await (const prediction of predictor.predict(images)) {
        if ('failure' in prediction) throw new Error(prediction.failure);
        if (prediction.outcome === 'alarm') alarms++;
      }
      judged.push({ shift, negativesAlarmed: alarms / rows.length });
    }
  }
  return judged.toSorted((a, b) => b.negativesAlarmed - a.negativesAlarmed);
}
