// The progress of long work: a bar with rate and time left on a terminal, an occasional plain line elsewhere.

export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Returns the width of the terminal; 80 if unknown, which some terminals report as 0. */
export function columnsOf({ columns }: ProgressOutput): number {
  return columns || 80;
}

const redrawEvery = 100;
const plainLineEvery = 10_000;

/**
 * The progress of one task.
 *
 * @example
 * const progress = new ProgressBar('decoding', 110_000, 'images');
 * for (const image of images) {
 *   decode(image);
 *   progress.advance(1);
 * }
 * progress.finish(); // decoding ████████████████████ 110,000/110,000 images, 35,483/s, 3 s
 */
export class ProgressBar {
  readonly #label: string;
  readonly #total: number;
  readonly #unit: string;
  readonly #output: ProgressOutput;
  readonly #now: () => number;
  readonly #started: number;
  #lastShown: number;
  #done = 0;
  #doneBefore = 0;
  #remark = '';

  constructor(
    label: string,
    total: number,
    unit: string,
    output: ProgressOutput = process.stderr,
    now = () => performance.now(),
  ) {
    this.#label = label;
    this.#total = total;
    this.#unit = unit;
    this.#output = output;
    this.#now = now;
    this.#started = now();
    this.#lastShown = this.#started;
  }

  /** Counts `amount` more as done; the remark (a loss, a file name) is shown after the numbers. */
  advance(amount: number, remark = ''): void {
    this.#done += amount;
    this.#remark = remark;
    // Without a terminal, `finish` would print the last line again.
    if (this.#done >= this.#total && !this.#output.isTTY) return;
    const now = this.#now();
    if (now - this.#lastShown < (this.#output.isTTY ? redrawEvery : plainLineEvery)) return;
    this.#lastShown = now;
    this.#show(now, false);
  }

  /** Counts `amount` as done before the work started, which excludes it from the rate. */
  startFrom(amount: number): void {
    this.#done = amount;
    this.#doneBefore = amount;
  }

  /** Counts up to `done` as done. */
  reach(done: number, remark = ''): void {
    this.advance(done - this.#done, remark);
  }

  /** Shows the final state and ends the line. */
  finish(): void {
    this.#show(this.#now(), true);
  }

  #show(now: number, finished: boolean): void {
    const seconds = Math.max((now - this.#started) / 1000, 1e-3);
    const rate = (this.#done - this.#doneBefore) / seconds;
    const time = finished ? duration(seconds) : `${duration((this.#total - this.#done) / rate)} left`;
    const numbers = `${count(this.#done)}/${count(this.#total)} ${this.#unit}, ${count(rate)}/s, ${time}`;
    const remark = this.#remark === '' ? '' : `, ${this.#remark}`;
    if (!this.#output.isTTY) {
      this.#output.write(`${this.#label} ${numbers}${remark}\n`);
      return;
    }
    const line = `${this.#label} ${bar(this.#done / this.#total)} ${numbers}${remark}`;
    this.#output.write(`\r\x1b[K${line.slice(0, columnsOf(this.#output) - 1)}${finished ? '\n' : ''}`);
  }
}

function bar(share: number): string {
  const width = 20;
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

function count(value: number): string {
  return (value >= 100 ? Math.round(value) : Math.round(value * 10) / 10).toLocaleString('en-US');
}

/**
 * Formats a duration.
 *
 * @example
 * duration(75) // '1 min 15 s'
 */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/**
 * Formats an estimate, with no more digits than it deserves.
 *
 * @example
 * roughDuration(500) // 'roughly 8 min'
 */
export function roughDuration(seconds: number): string {
  if (seconds < 45) return 'less than a minute';
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `roughly ${minutes} min`;
  const hours = seconds / 3600;
  return `roughly ${hours < 10 ? Number(hours.toFixed(1)) : Math.round(hours)} h`;
}
