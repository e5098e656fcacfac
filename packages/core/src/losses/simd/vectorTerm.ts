// `binaryTerm` on four lanes of float32: the same formulas, branch-free.

import type { LossTerm } from '../lossTerm.js';
import { type Code, type FunctionBuilder, type Local, set, vector } from './assembler.js';
import { vectorExponential, vectorLogarithm, vectorMinusLog } from './vectorFunctions.js';

const { all, add, subtract, multiply, divide, choose } = vector;

/**
 * How the powers are computed: no exponents, both 2, or any; with a clip, ASL's default exponents 1 and 4, or any.
 */
export const termKinds = ['plain', 'square', 'power', 'clippedFourth', 'clippedPower'] as const;

export type TermKind = (typeof termKinds)[number];

export function termKindOf({ gammaPositive, gammaNegative, clip }: LossTerm): TermKind {
  if (clip > 0) return gammaPositive === 1 && gammaNegative === 4 ? 'clippedFourth' : 'clippedPower';
  if (gammaPositive !== gammaNegative) return 'power';
  return gammaPositive === 0 ? 'plain' : gammaPositive === 2 ? 'square' : 'power';
}

/** A term's parameters, each in all lanes. */
export type TermLanes = Readonly<Record<keyof LossTerm, Local>>;

/** Writes the losses and slopes of four logits against four targets in [0, 1]. */
export interface VectorTerm {
  readonly loss: Local;
  readonly slope: Local;
  compute(logits: Code, targets: Code): Code;
}

const ONE = all(1);
const ZERO = all(0);

/** Returns a term with its own locals. */
export function vectorTerm(builder: FunctionBuilder, kind: TermKind, term: TermLanes): VectorTerm {
  const local = () => builder.local('v128');
  const [loss, slope, z, y] = [local(), local(), local(), local()];
  const [small, larger, smaller, logOfSum] = [local(), local(), local(), local()];
  const at = { p: local(), q: local(), minusLogP: local(), minusLogQ: local() };
  const exponential = vectorExponential(builder);
  const logarithm = vectorLogarithm(builder);
  const present = presentPart(builder, kind, term, at);
  const absent = kind.startsWith('clipped')
    ? clippedAbsentPart(builder, kind, term, at)
    : absentPart(builder, kind, term, at);
  const isPositive = vector.greaterOrEqual(z, ZERO);

  const compute = (logits: Code, targets: Code): Code => [
    set(z, logits),
    set(y, targets),
    exponential.compute(vector.absolute(z)),
    set(small, exponential.result),
    logarithm.compute(small),
    set(logOfSum, logarithm.result),
    set(larger, divide(ONE, add(ONE, small))),
    set(smaller, multiply(small, larger)),
    set(at.p, choose(larger, smaller, isPositive)),
    set(at.q, choose(smaller, larger, isPositive)),
    set(at.minusLogP, subtract(logOfSum, vector.minimum(z, ZERO))),
    set(at.minusLogQ, add(logOfSum, vector.maximum(z, ZERO))),
    absent.compute(subtract(ONE, y)),
    present.compute(y),
    set(loss, add(absent.loss, present.loss)),
    set(slope, subtract(absent.slope, present.slope)),
  ];
  return { loss, slope, compute };
}

interface Logistic {
  readonly p: Local;
  readonly q: Local;
  readonly minusLogP: Local;
  readonly minusLogQ: Local;
}

/** One side of a term: `compute` sets its factor, after which `loss` and `slope` are expressions in it. */
interface TermPart {
  compute(weight: Code): Code;
  readonly loss: Code;
  readonly slope: Code;
}

/** y q^γ+ (-log p), and the magnitude of its slope, y q^γ+ (γ+ p (-log p) + q). */
function presentPart(builder: FunctionBuilder, kind: TermKind, term: TermLanes, at: Logistic): TermPart {
  const { p, q, minusLogP, minusLogQ } = at;
  return focusedPart(builder, kind === 'clippedFourth' ? 'linear' : powerOf(kind), {
    base: q,
    minusLogBase: minusLogQ,
    gamma: term.gammaPositive,
    minusLog: minusLogP,
    complement: p,
  });
}

/** (1 - y) p^γ- (-log q), and its slope (1 - y) p^γ- (γ- q (-log q) + p). */
function absentPart(builder: FunctionBuilder, kind: TermKind, term: TermLanes, at: Logistic): TermPart {
  const { p, q, minusLogP, minusLogQ } = at;
  return focusedPart(builder, powerOf(kind), {
    base: p,
    minusLogBase: minusLogP,
    gamma: term.gammaNegative,
    minusLog: minusLogQ,
    complement: q,
  });
}

type Power = 'none' | 'linear' | 'square' | 'any';

function powerOf(kind: TermKind): Power {
  return kind === 'plain' ? 'none' : kind === 'square' ? 'square' : 'any';
}

interface FocusedPart {
  readonly base: Local;
  readonly minusLogBase: Local;
  readonly gamma: Local;
  readonly minusLog: Local;
  readonly complement: Local;
}

function focusedPart(builder: FunctionBuilder, power: Power, part: FocusedPart): TermPart {
  const { base, minusLogBase, gamma, minusLog, complement } = part;
  const factor = builder.local('v128');
  if (power === 'none') {
    return {
      compute: (weight) => set(factor, weight),
      loss: multiply(factor, minusLog),
      slope: multiply(factor, base),
    };
  }
  const focus = (weight: Code): Code => {
    if (power === 'linear') return set(factor, multiply(weight, base));
    if (power === 'square') return set(factor, multiply(weight, multiply(base, base)));
    const exponential = vectorExponential(builder);
    return [
      exponential.compute(multiply(gamma, minusLogBase)),
      set(factor, multiply(weight, exponential.result)),
    ];
  };
  return {
    compute: focus,
    loss: multiply(factor, minusLog),
    slope: multiply(factor, add(multiply(gamma, multiply(complement, minusLog)), base)),
  };
}

/** (1 - y) p_m^γ- (-log q_m), and its slope (1 - y) p q p_m^γ- (γ- (-log q_m) / p_m + 1 / q_m); 0 if p is not above the clip. */
function clippedAbsentPart(
  builder: FunctionBuilder,
  kind: TermKind,
  { gammaNegative, clip }: TermLanes,
  { p, q }: Logistic,
): TermPart {
  const local = () => builder.local('v128');
  const [excess, rest, factor, steepness] = [local(), local(), local(), local()];
  const minusLogRest = vectorMinusLog(builder);
  const clipped: Code = [
    set(excess, vector.maximum(subtract(p, clip), ZERO)),
    set(rest, vector.minimum(add(q, clip), ONE)),
    minusLogRest.compute(rest, excess),
  ];
  const loss = multiply(factor, minusLogRest.result);
  if (kind === 'clippedFourth') {
    const square = local();
    // 4 p_m³ (-log q_m) + p_m⁴ / q_m, which is 0 if p_m is.
    const compute = (weight: Code): Code => [
      clipped,
      set(square, multiply(excess, excess)),
      set(factor, multiply(weight, multiply(square, square))),
      set(
        steepness,
        add(
          multiply(multiply(weight, multiply(all(4), multiply(excess, square))), minusLogRest.result),
          divide(factor, rest),
        ),
      ),
    ];
    return { compute, loss, slope: multiply(steepness, multiply(p, q)) };
  }
  const minusLogExcess = vectorMinusLog(builder);
  const exponential = vectorExponential(builder);
  const compute = (weight: Code): Code => [
    clipped,
    minusLogExcess.compute(excess, rest),
    exponential.compute(multiply(gammaNegative, minusLogExcess.result)),
    set(factor, multiply(weight, exponential.result)),
    set(steepness, add(divide(multiply(gammaNegative, minusLogRest.result), excess), divide(ONE, rest))),
  ];
  const isAbove = vector.greaterThan(p, clip);
  return { compute, loss, slope: vector.and(isAbove, multiply(factor, multiply(multiply(p, q), steepness))) };
}
