// Learning rates in closed form: pure functions of the epoch, so that a resumed run has the same rates as an
// uninterrupted one.

/** Returns the rate in an epoch, counted from 0 and maybe with a fraction, for a group whose base rate is `baseRate`. */
export type Schedule = (epoch: number, baseRate: number) => number;

export interface MultiStepOptions {
  /** Epochs at which the rate is multiplied by `gamma`. */
  readonly milestones: readonly number[];
  readonly gamma: number;
}

/**
 * The base rate, times `gamma` for every milestone reached so far.
 *
 * @example
 * const rate = multiStep({ milestones: [20, 30], gamma: 0.01 });
 * rate(19, 0.1) // 0.1
 * rate(20, 0.1) // 0.001
 */
export function multiStep({ milestones, gamma }: MultiStepOptions): Schedule {
  requireIncreasing('multiStep', milestones);
  if (!(gamma >= 0)) throw new RangeError(`multiStep: gamma must be 0 or more, not ${gamma}`);
  return (epoch, baseRate) => baseRate * gamma ** milestones.filter((milestone) => milestone <= epoch).length;
}

export interface LinearWarmUpOptions {
  /** How many epochs it takes to reach the base rate. */
  readonly epochs: number;
  /** Fraction of the base rate at epoch 0. */
  readonly startFactor: number;
}

/**
 * Linear warm-up from a fraction of the base rate to the full rate. Goyal et al., "Accurate, Large Minibatch SGD",
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
  /** Length of the first cycle in epochs. */
  readonly T0: number;
  /** How many times longer each cycle is than the one before. */
  readonly Tmult?: number;
  /** The rate that each cycle approaches. */
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
  if (!(floor >= 0)) throw new RangeError(`cosineWarmRestarts: floor must be 0 or more, not ${floor}`);
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
 * Runs schedules one after another. Each milestone is the epoch at which the next one starts, from its own epoch 0.
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
    throw new RangeError(`${name} must be a positive integer, not ${value}`);
  }
}

function requireIncreasing(name: string, milestones: readonly number[]): void {
  const increasing = milestones.every((milestone, i) => milestone > (milestones[i - 1] ?? 0));
  if (!increasing) {
    throw new RangeError(
      `${name}: milestones must increase, starting above 0, not [${milestones.join(', ')}]`,
    );
  }
}
