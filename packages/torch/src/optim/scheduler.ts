// Makes an optimizer's learning rates follow a schedule.

import type { Schedule } from './schedules.js';

/** What a scheduler needs from an optimizer. */
export interface RatedOptimizer {
  readonly groups: readonly { lr: number }[];
}

/** A scheduler's state, plain JSON. */
export interface SchedulerState {
  /** With a fraction if rates change within epochs. */
  readonly epoch: number;
  /** Each group's learning rate before the schedule is applied. */
  readonly baseRates: readonly number[];
}

/**
 * Sets the learning rate of every group, at construction and after every epoch, based on the group's initial rate.
 *
 * @example
 * const optimizer = new SGD(parameters, { lr: 0.1, momentum: 0.9 });
 * const scheduler = new Scheduler(optimizer, multiStep({ milestones: [20, 30], gamma: 0.01 }));
 * for (; scheduler.epoch < 40; scheduler.step()) trainOneEpoch();
 */
export class Scheduler {
  readonly #optimizer: RatedOptimizer;
  readonly #schedule: Schedule;
  #baseRates: readonly number[];
  #epoch = 0;

  constructor(optimizer: RatedOptimizer, schedule: Schedule) {
    this.#optimizer = optimizer;
    this.#schedule = schedule;
    this.#baseRates = optimizer.groups.map(({ lr }) => lr);
    this.#setRates();
  }

  /** The epoch whose rates are set, counted from 0; with a fraction if rates change within epochs. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Advances to the start of the next epoch. */
  step(): void {
    this.moveTo(Math.floor(this.#epoch) + 1);
  }

  /** Sets the rates of a moment: 2.5 is the middle of the third epoch. */
  moveTo(epoch: number): void {
    if (!(epoch >= 0 && epoch < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`Scheduler: the epoch must be 0 or more, not ${epoch}`);
    }
    this.#epoch = epoch;
    this.#setRates();
  }

  stateDict(): SchedulerState {
    return { epoch: this.#epoch, baseRates: this.#baseRates };
  }

  /** Resumes from a saved epoch and sets its rates. */
  loadStateDict({ epoch, baseRates }: SchedulerState): void {
    if (baseRates.length !== this.#optimizer.groups.length) {
      throw new RangeError(
        `Scheduler: ${baseRates.length} saved rates for ${this.#optimizer.groups.length} parameter groups`,
      );
    }
    this.#baseRates = [...baseRates];
    this.moveTo(epoch);
  }

  #setRates(): void {
    this.#optimizer.groups.forEach((group, g) => {
      group.lr = this.#schedule(this.#epoch, this.#baseRates[g]!);
    });
  }
}
