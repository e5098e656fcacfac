// Learning rates in closed form: pure functions of the epoch, so that a resumed run has the rates of an uninterrupted one.

/** The rate in an epoch, counted from 0, of a group whose own rate is `baseRate`. */
export type Schedule = (epoch: number, baseRate: number) => number;

export interface MultiStepOptions {
  /** Epochs at which the rate is multiplied again. */
  readonly milestones: readonly number[];
  readonly gamma: number;
}

/**
 * The base rate, times `gamma` for every milestone that was reached.
 *
 * @example
 * const rate = multiStep({ milestones: [20, 30], gamma: 0.01 });
 * rate(19, 0.1) // 0.1
 * rate(20, 0.1) // 0.001
 */
export function multiStep({ milestones, gamma }: MultiStepOptions): Schedule {
  requireIncreasing('multiStep', milestones);
  if (!(gamma >= 0)) throw new RangeError(`multiStep: gamma must be a number from 0 on, not ${gamma}`);
  return (epoch, baseRate) => baseRate * gamma ** milestones.filter((milestone) => milestone <= epoch).length;
}

export interface LinearWarmUpOptions {
  /** How many epochs it takes to reach the base rate. */
  readonly epochs: number;
  /** The part of the base rate at epoch 0. */
  readonly startFactor: number;
}

/**
 * In a straight line from a part of the base rate to all of it. Goyal et al., "Accurate, Large Minibatch SGD",
 * arXiv 1706.02677.
 *
 * @example
 * const rate = linearWarmUp({ epochs: 5, startFactor: 0.01 });
 * rate(0, 1e-3) // 1e-5
 * rate(5, 1e-3) // 1e-3
 */
export function linearWarmUp({ epochs, startFactor }: LinearWarmUpOptions): Schedule {
  requirePositiveInteger('linearWarmUp: epochs', epochs);
  if (!(startFactor >= 0 && startFactor <= 1)) {
    throw new RangeError(`linearWarmUp: startFactor must be from 0 to 1, not ${startFactor}`);
  }
  return (epoch, baseRate) =>
    baseRate * (startFactor + (1 - startFactor) * (Math.min(epoch, epochs) / epochs));
}

export interface CosineWarmRestartsOptions {
  /** Epochs of the first cycle. */
  readonly T0: number;
  /** How many times longer each cycle is than the one before. */
  readonly Tmult?: number;
  /** The rate at which a cycle would end. */
  readonly floor?: number;
}

/**
 * Half a cosine from the base rate down to the floor, again and again. Loshchilov and Hutter, "SGDR: Stochastic Gradient
 * Descent with Warm Restarts", arXiv 1608.03983, eq. 5.
 *
 * @example
 * const rate = cosineWarmRestarts({ T0: 10, Tmult: 2, floor: 1e-5 });
 * rate(5, 1e-3) // 5.05e-4
 * rate(10, 1e-3) // 1e-3; the next restart is at epoch 30
 */
export function cosineWarmRestarts({ T0, Tmult = 1, floor = 0 }: CosineWarmRestartsOptions): Schedule {
  requirePositiveInteger('cosineWarmRestarts: T0', T0);
  requirePositiveInteger('cosineWarmRestarts: Tmult', Tmult);
  if (!(floor >= 0)) throw new RangeError(`cosineWarmRestarts: floor must be a rate from 0 on, not ${floor}`);
  return (epoch, baseRate) => {
    let sinceRestart = epoch;
    let cycle = T0;
    while (sinceRestart >= cycle) {
      sinceRestart -= cycle;
      cycle *= Tmult;
    }
    return floor + ((baseRate - floor) * (1 + Math.cos((Math.PI * sinceRestart) / cycle))) / 2;
  };
}

/**
 * One schedule after another: each milestone is the epoch at which the next one starts, with an epoch 0 of its own.
 *
 * @example
 * const rate = sequence(
 *   [linearWarmUp({ epochs: 5, startFactor: 0.01 }), cosineWarmRestarts({ T0: 10, Tmult: 2, floor: 1e-5 })],
 *   [5],
 * );
 * [0, 5, 10, 15].map((epoch) => rate(epoch, 1e-3)) // [1e-5, 1e-3, 5.05e-4, 1e-3]; restarts at 15, 35, 75
 */
export function sequence(schedules: readonly Schedule[], milestones: readonly number[]): Schedule {
  requireIncreasing('sequence', milestones);
  if (schedules.length !== milestones.length + 1) {
    throw new RangeError(
      `sequence: ${schedules.length} schedules need ${schedules.length - 1} milestones, not ${milestones.length}`,
    );
  }
  return (epoch, baseRate) => {
    const position = milestones.filter((milestone) => milestone <= epoch).length;
    const start = milestones[position - 1] ?? 0;
    return schedules[position]!(epoch - start, baseRate);
  };
}

function requirePositiveInteger(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`${name} must be an integer from 1 on, not ${value}`);
  }
}

function requireIncreasing(name: string, milestones: readonly number[]): void {
  const increasing = milestones.every((milestone, i) => milestone > (milestones[i - 1] ?? 0));
  if (!increasing) {
    throw new RangeError(`${name}: milestones must increase from above 0, not [${milestones.join(', ')}]`);
  }
}
