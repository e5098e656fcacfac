// How far a run is, from the lines that `anyclass train` writes.

/** Of one run, as far as its lines told. */
export interface ChildProgress {
  /** Whole epochs that are done. */
  readonly epoch: number;
  readonly epochs: number;
  /** The part of the current epoch that is done. */
  readonly within: number;
  readonly loss: number | null;
  /** On validation, after the last whole epoch. */
  readonly mAP: number | null;
  readonly imagesPerSecond: number | null;
}

const epochBar = /^epoch (\d+)\/\d+ ([\d,]+)\/([\d,]+) images, ([\d,.]+)\/s, [^,]*(?:, loss ([\d.]+))?/;
const epochEnd = /^epoch (\d+): loss ([\d.]+); .*mAP ([\d.]+)/;

/**
 * The progress after one more line; the same where the line tells nothing of it.
 *
 * @example
 * progressAfter(progress, 'epoch 2/10 100/1,000 images, 50/s, 18 s left, loss 0.4123, 3% waiting for images')
 * // epoch 1, within 0.1, loss 0.4123, imagesPerSecond 50
 */
export function progressAfter(progress: ChildProgress, line: string): ChildProgress {
  const bar = epochBar.exec(line);
  if (bar) {
    const [, epoch, done, total, rate, loss] = bar;
    return {
      ...progress,
      epoch: Number(epoch) - 1,
      within: number(done!) / number(total!),
      imagesPerSecond: number(rate!),
      loss: loss === undefined ? progress.loss : Number(loss),
    };
  }
  const end = epochEnd.exec(line);
  if (!end) return progress;
  const [, epoch, loss, mAP] = end;
  return { ...progress, epoch: Number(epoch), within: 0, loss: Number(loss), mAP: Number(mAP) / 100 };
}

function number(text: string): number {
  return Number(text.replaceAll(',', ''));
}
