import { type Code, f32, i32, set, vector, type WasmFunction, whileTrue } from './assembler.js';
import {
  advance,
  knownLanes,
  LANES,
  load,
  orZero,
  RECORD_ENTRIES,
  stepBack,
  store,
  sumOfLanes,
} from './rowGroups.js';
import { type TermKind, vectorTerm } from './vectorTerm.js';

const { all } = vector;

/** The second scalar pass, four classes at a time; each row's losses go into its record. */
export function addTerms(kind: TermKind): WasmFunction {
  return {
    name: `addTerms_${kind}`,
    result: null,
    write(builder) {
      const address = () => builder.parameter('i32');
      const [logits, targets, gradient, records] = [address(), address(), address(), address()];
      const [rows, classes] = [builder.parameter('i32'), builder.parameter('i32')];
      const scalar = () => builder.parameter('f32');
      const [gammaPositive, gammaNegative, clip] = [scalar(), scalar(), scalar()];
      const [smoothing, alpha, scale] = [scalar(), scalar(), scalar()];
      const lanes = () => builder.local('v128');
      const numbers = { gammaPositive: lanes(), gammaNegative: lanes(), clip: lanes() };
      const [kept, added] = [lanes(), lanes()];
      const [known, y, losses, rowScale] = [lanes(), lanes(), lanes(), lanes()];
      const [anySlope, presentSlope, absentSlope] = [builder.local('f32'), lanes(), lanes()];
      const left = builder.local('i32');
      const term = vectorTerm(builder, kind, numbers);
      const sharedSlope = (share: 'presentShare' | 'absentShare') =>
        vector.splat(f32.multiply(anySlope, load(records, share)));

      const anyClass: Code = [
        term.compute(vector.splat(load(records, 'anyLogit')), vector.splat(load(records, 'anyTarget'))),
        store(
          records,
          'anyClass',
          orZero(vector.lane(term.loss, 0), f32.greaterThan(load(records, 'presentShare'), f32.constant(0))),
        ),
        set(anySlope, f32.multiply(alpha, vector.lane(term.slope, 0))),
        set(presentSlope, sharedSlope('presentShare')),
        set(absentSlope, sharedSlope('absentShare')),
      ];
      const group: Code = [
        set(known, knownLanes(targets, left)),
        set(y, vector.and(vector.load(targets), known)),
        term.compute(vector.and(vector.load(logits), known), vector.add(vector.multiply(y, kept), added)),
        set(losses, vector.add(losses, vector.and(term.loss, known))),
        vector.store(
          gradient,
          vector.and(
            known,
            vector.multiply(
              rowScale,
              vector.add(
                term.slope,
                vector.add(
                  vector.multiply(y, presentSlope),
                  vector.multiply(vector.subtract(all(1), y), absentSlope),
                ),
              ),
            ),
          ),
        ),
        advance(logits, LANES),
        advance(targets, LANES),
        advance(gradient, LANES),
        set(left, i32.add(left, i32.constant(-LANES))),
      ];
      const row: Code = [
        anyClass,
        set(rowScale, vector.splat(f32.multiply(scale, load(records, 'weight')))),
        set(losses, all(0)),
        set(left, classes),
        whileTrue(i32.greaterThan(left, i32.constant(0)), group),
        stepBack(logits, left),
        stepBack(targets, left),
        stepBack(gradient, left),
        store(records, 'base', sumOfLanes(losses)),
        advance(records, RECORD_ENTRIES),
        set(rows, i32.add(rows, i32.constant(-1))),
      ];
      return [
        set(numbers.gammaPositive, vector.splat(gammaPositive)),
        set(numbers.gammaNegative, vector.splat(gammaNegative)),
        set(numbers.clip, vector.splat(clip)),
        set(kept, vector.splat(f32.subtract(f32.constant(1), smoothing))),
        set(added, vector.splat(f32.multiply(smoothing, f32.constant(0.5)))),
        whileTrue(i32.greaterThan(rows, i32.constant(0)), row),
      ];
    },
  };
}
