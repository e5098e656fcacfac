// exp and log on four lanes of float32, as branch-free polynomials.

import { type Code, type FunctionBuilder, i32, type Local, set, vector } from './assembler.js';

const { all, add, subtract, multiply, divide, choose } = vector;

const ROUNDING = 1.5 * 2 ** 23;

/** A function of four lanes, with its own locals. */
export interface VectorFunction {
  readonly result: Local;
  compute(argument: Code): Code;
}

// exp(-a) for a >= 0 is 2^-k exp(r), with k the nearest integer to a / ln 2 and |r| <= ln 2 / 2. Adding 1.5 · 2²³ rounds
// to that integer and leaves it in the low bits, from which it is shifted into the exponent. ln 2 is split into two parts,
// so that k ln 2 adds no rounding error to r. Beyond 87, the result stays near the smallest normal float32.
export function vectorExponential(builder: FunctionBuilder): VectorFunction {
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
export function vectorLogarithm(builder: FunctionBuilder): VectorFunction {
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

/** -log(x) for x in [0, 1], given both x and 1 - x. */
export interface VectorMinusLog {
  readonly result: Local;
  compute(x: Local, complement: Local): Code;
}

// For x ≥ 1/2 it is log(1 + (1 - x) / x), which keeps the digits of a small 1 - x. Below, x = 2^-k (1 + f) with f in
// [0, 1), and it is k ln 2 - log(1 + f). At 0, whose bits are those of k = 127 and f = 0, it stays at 88.
export function vectorMinusLog(builder: FunctionBuilder): VectorMinusLog {
  const local = () => builder.local('v128');
  const [isLarge, k, result] = [local(), local(), local()];
  const logarithm = vectorLogarithm(builder);
  const integers = (value: number) => vector.splatInteger(i32.constant(value));
  const compute = (x: Local, complement: Local): Code => {
    const onePlusF = vector.or(vector.and(x, integers(0x7fffff)), integers(0x3f800000));
    return [
      set(isLarge, vector.greaterOrEqual(x, all(0.5))),
      set(k, vector.convertInteger(vector.subtractInteger(integers(127), vector.shiftRight(x, 23)))),
      logarithm.compute(choose(divide(complement, x), subtract(onePlusF, all(1)), isLarge)),
      set(result, choose(logarithm.result, subtract(multiply(k, all(Math.LN2)), logarithm.result), isLarge)),
    ];
  };
  return { result, compute };
}

// Σ cᵢ xⁱ by Estrin's scheme: halves are summed in parallel, since a chain of dependent instructions would cost more than
// the few extra ones. The powers x, x², x⁴ are computed beforehand.
function polynomial(powers: readonly Local[], coefficients: readonly number[]): Code {
  if (coefficients.length === 1) return all(coefficients[0]!);
  const level = Math.ceil(Math.log2(coefficients.length)) - 1;
  const low = coefficients.slice(0, 2 ** level);
  const high = coefficients.slice(2 ** level);
  return add(polynomial(powers, low), multiply(powers[level]!, polynomial(powers, high)));
}
