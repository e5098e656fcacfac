// Platt scaling: sigmoid(a z + b) for each class, fitted by maximum likelihood. Platt, "Probabilistic Outputs for
// Support Vector Machines", 1999, with his targets (N₊ + 1) / (N₊ + 2) and 1 / (N₋ + 2), which keep the fit finite;
// minimized as in Lin, Lin and Weng, "A Note on Platt's Probabilistic Outputs", 2007: Newton with backtracking.

import { sigmoid, softplus } from '../losses/logisticTerms.js';
import { checkScored, type Scored, UNKNOWN } from '../metrics/scored.js';
import { checkProbabilities, probabilityLogits } from './probabilityLogits.js';

/** A fitted slope and intercept for each class. Plain JSON. */
export interface PlattScaling {
  readonly kind: 'platt';
  readonly classNames: readonly string[];
  readonly slopes: readonly number[];
  readonly intercepts: readonly number[];
  /** Classes that were never present or never absent; they are not calibrated (slope 1, intercept 0). */
  readonly undefinedClasses: readonly string[];
  /** The split it was fitted on, if named. */
  readonly fittedOn: string | null;
}

/**
 * Fits a slope and an intercept for the logits of each class.
 *
 * @example
 * const scores = new Float64Array([0.9, 0.8, 0.7, 0.4, 0.2, 0.1]);
 * const { slopes, intercepts } = fitPlatt({ scores, targets: [1, 1, 0, 1, 0, 0], classNames: ['crack'] });
 * // slopes [0.5388…], intercepts [-0.0451…]
 */
export function fitPlatt(scored: Scored): PlattScaling {
  const { scores, labels, classNames } = checkScored(scored);
  checkProbabilities(scores, classNames);
  const logits = probabilityLogits(scores);
  const fits = classNames.map((_, j) => fitClass(...columnOf(logits, labels, j, classNames.length)));
  return {
    kind: 'platt',
    classNames: [...classNames],
    slopes: fits.map((fit) => fit?.slope ?? 1),
    intercepts: fits.map((fit) => fit?.intercept ?? 0),
    undefinedClasses: classNames.filter((_, j) => fits[j] === null),
    fittedOn: scored.split ?? null,
  };
}

interface Line {
  readonly slope: number;
  readonly intercept: number;
}

function columnOf(
  logits: Float64Array,
  labels: Int8Array,
  j: number,
  classes: number,
): [Float64Array, Float64Array] {
  const known = Array.from({ length: labels.length / classes }, (_, row) => row * classes + j).filter(
    (i) => labels[i] !== UNKNOWN,
  );
  return [Float64Array.from(known, (i) => logits[i]!), Float64Array.from(known, (i) => labels[i]!)];
}

function fitClass(logits: Float64Array, labels: Float64Array): Line | null {
  const present = labels.reduce((sum, label) => sum + label, 0);
  const absent = labels.length - present;
  if (present === 0 || absent === 0) return null;
  const targets = labels.map((label) => (label === 1 ? (present + 1) / (present + 2) : 1 / (absent + 2)));
  let line: Line = { slope: 0, intercept: Math.log((present + 1) / (absent + 1)) };
  let loss = crossEntropy(logits, targets, line);
  for (let iteration = 0; iteration < 100; iteration++) {
    const direction = newtonDirection(logits, targets, line);
    let step = 1;
    let moved = along(line, direction, step);
    let movedLoss = crossEntropy(logits, targets, moved);
    while (movedLoss > loss - 1e-4 * step * direction.decrease && step > 1e-10) {
      step /= 2;
      moved = along(line, direction, step);
      movedLoss = crossEntropy(logits, targets, moved);
    }
    if (movedLoss >= loss) break;
    line = moved;
    loss = movedLoss;
  }
  return line;
}

function along(line: Line, direction: Line, step: number): Line {
  return {
    slope: line.slope + step * direction.slope,
    intercept: line.intercept + step * direction.intercept,
  };
}

function crossEntropy(logits: Float64Array, targets: Float64Array, { slope, intercept }: Line): number {
  let total = 0;
  for (let i = 0; i < logits.length; i++) {
    const z = slope * logits[i]! + intercept;
    total += softplus(z) - targets[i]! * z;
  }
  return total;
}

/** Returns the Newton direction, and how fast the loss decreases along it. */
function newtonDirection(
  logits: Float64Array,
  targets: Float64Array,
  line: Line,
): Line & { decrease: number } {
  // A small multiple of the identity keeps the matrix invertible if all logits are equal.
  let slopeSlope = 1e-12;
  let bothSlope = 0;
  let interceptSlope = 1e-12;
  let slopeGradient = 0;
  let interceptGradient = 0;
  for (let i = 0; i < logits.length; i++) {
    const z = logits[i]!;
    const p = sigmoid(line.slope * z + line.intercept);
    const error = p - targets[i]!;
    const weight = p * (1 - p);
    slopeSlope += z * z * weight;
    bothSlope += z * weight;
    interceptSlope += weight;
    slopeGradient += z * error;
    interceptGradient += error;
  }
  const determinant = slopeSlope * interceptSlope - bothSlope * bothSlope;
  const slope = -(interceptSlope * slopeGradient - bothSlope * interceptGradient) / determinant;
  const intercept = -(slopeSlope * interceptGradient - bothSlope * slopeGradient) / determinant;
  return { slope, intercept, decrease: -(slopeGradient * slope + interceptGradient * intercept) };
}
