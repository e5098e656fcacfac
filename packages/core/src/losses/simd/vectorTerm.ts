// `binaryTerm` on four lanes of float32: the same formulas, with exp and log1p as polynomials and without a branch.

import { type Code, type FunctionBuilder, i32, type Local, set, vector } from './assembler.js';

const { all, add, subtract, multiply, divide, choose } = vector;

/** How (1 - p)^γ is computed: γ = 0, γ = 2, or any other. */
export type Focusing = 'none' | 'square' | 'power';

/** Writes the losses and slopes of four logits against four targets in [0, 1]. */
export interface VectorTerm {
  readonly loss: Local;
  readonly slope: Local;
  compute(logits: Code, targets: Code): Code;
}

const ONE = all(1);
const ZERO = all(0);
const ROUNDING = 1.5 * 2 ** 23;

/** A term with locals of its own; `gamma` holds γ in all lanes. */
export function vectorTerm(builder: FunctionBuilder, focusing: Focusing, gamma: Code): VectorTerm {
  const local = () => builder.local('v128');
  const [loss, slope, z, y, notY] = [local(), local(), local(), local(), local()];
  const [small, larger, smaller, logOfSum] = [local(), local(), local(), local()];
  const [p, q, minusLogP, minusLogQ] = [local(), local(), local(), local()];
  const [absentFactor, presentFactor] = [local(), local()];
  const exponential = vectorExponential(builder);
  const logarithm = vectorLogarithm(builder);
  const isPositive = vector.greaterOrEqual(z, ZERO);

  const power = (result: Local, base: Local, minusLogBase: Local): Code =>
    focusing === 'square'
      ? set(result, multiply(base, base))
      : [exponential.compute(multiply(gamma, minusLogBase)), set(result, exponential.result)];
  const weighted = (): Code =>
    focusing === 'none'
      ? [
          set(loss, add(multiply(notY, minusLogQ), multiply(y, minusLogP))),
          set(slope, subtract(multiply(notY, p), multiply(y, q))),
        ]
      : [
          power(absentFactor, p, minusLogP),
          power(presentFactor, q, minusLogQ),
          set(absentFactor, multiply(notY, absentFactor)),
          set(presentFactor, multiply(y, presentFactor)),
          set(loss, add(multiply(absentFactor, minusLogQ), multiply(presentFactor, minusLogP))),
          set(
            slope,
            subtract(
              multiply(absentFactor, add(multiply(gamma, multiply(q, minusLogQ)), p)),
              multiply(presentFactor, add(multiply(gamma, multiply(p, minusLogP)), q)),
            ),
          ),
        ];

  const compute = (logits: Code, targets: Code): Code => [
    set(z, logits),
    set(y, targets),
    set(notY, subtract(ONE, y)),
    exponential.compute(vector.absolute(z)),
    set(small, exponential.result),
    logarithm.compute(small),
    set(logOfSum, logarithm.result),
    set(larger, divide(ONE, add(ONE, small))),
    set(smaller, multiply(small, larger)),
    set(p, choose(larger, smaller, isPositive)),
    set(q, choose(smaller, larger, isPositive)),
    set(minusLogP, subtract(logOfSum, vector.minimum(z, ZERO))),
    set(minusLogQ, add(logOfSum, vector.maximum(z, ZERO))),
    weighted(),
  ];
  return { loss, slope, compute };
}

interface VectorFunction {
  readonly result: Local;
  compute(argument: Code): Code;
}

// exp(-a) for a >= 0 is 2^-k exp(r), with k the nearest integer to a / ln 2 and |r| <= ln 2 / 2. Adding 1.5 · 2²³ rounds
// to that integer and leaves it in the low bits, from where it goes to the exponent. ln 2 is taken in two parts, so that
// r has no rounding error of k ln 2. Beyond 87 the result stays near the smallest normal float32.
function vectorExponential(builder: FunctionBuilder): VectorFunction {
  const local = () => builder.local('v128');
  const [a, shifted, k, result] = [local(), local(), local(), local()];
  const [r, square, fourth] = [local(), local(), local()];
  const upperLn2 = 0.693359375;
  const powerOfTwo = vector.subtractInteger(
    vector.splatInteger(i32.constant(127 << 23)),
    vector.shiftLeft(shifted, 23),
  );
  const compute = (argument: Code): Code => [
    set(a, vector.minimum(argument, all(87))),
    set(shifted, add(multiply(a, all(Math.LOG2E)), all(ROUNDING))),
    set(k, subtract(shifted, all(ROUNDING))),
    set(r, add(subtract(multiply(k, all(upperLn2)), a), multiply(k, all(Math.LN2 - upperLn2)))),
    set(square, multiply(r, r)),
    set(fourth, multiply(square, square)),
    set(
      result,
      multiply(
        polynomial([r, square, fourth], [1, 1, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040]),
        powerOfTwo,
      ),
    ),
  ];
  return { result, compute };
}

// log(1 + e) for e in [0, 1] is 2 artanh(s) = 2 s (1 + s²/3 + s⁴/5 + …) with s = e / (2 + e) <= 1/3.
function vectorLogarithm(builder: FunctionBuilder): VectorFunction {
  const local = () => builder.local('v128');
  const [s, result] = [local(), local()];
  const [square, fourth, eighth] = [local(), local(), local()];
  const compute = (argument: Code): Code => [
    set(s, divide(argument, add(argument, all(2)))),
    set(square, multiply(s, s)),
    set(fourth, multiply(square, square)),
    set(eighth, multiply(fourth, fourth)),
    set(
      result,
      multiply(
        add(s, s),
        polynomial([square, fourth, eighth], [1, 1 / 3, 1 / 5, 1 / 7, 1 / 9, 1 / 11, 1 / 13]),
      ),
    ),
  ];
  return { result, compute };
}

// Σ cᵢ xⁱ by Estrin's scheme: halves are summed side by side, for a chain of dependent instructions would cost more than
// the few extra ones. The powers x, x², x⁴ are computed ahead.
function polynomial(powers: readonly Local[], coefficients: readonly number[]): Code {
  if (coefficients.length === 1) return all(coefficients[0]!);
  const level = Math.ceil(Math.log2(coefficients.length)) - 1;
  const low = coefficients.slice(0, 2 ** level);
  const high = coefficients.slice(2 ** level);
  return add(polynomial(powers, low), multiply(powers[level]!, polynomial(powers, high)));
}
