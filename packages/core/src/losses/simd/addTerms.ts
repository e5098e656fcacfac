import { type Code, f32, i32, set, vector, type WasmFunction, whileTrue } from './assembler.js';
import {
  advance,
  knownLanes,
  LANES,
  load,
  RECORD_ENTRIES,
  stepBack,
  store,
  sumOfLanes,
  whereLabeled,
} from './rowGroups.js';
import { type Focusing, vectorTerm } from './vectorTerm.js';

const { all } = vector;

/** The second of the scalar passes, four classes at a time: each row's losses go to its record. */
export function addTerms(focusing: Focusing): WasmFunction {
  return {
    name: `addTerms_${focusing}`,
    result: null,
    write(builder) {
      const address = () => builder.parameter('i32');
      const [logits, targets, gradient, records] = [address(), address(), address(), address()];
      const [rows, classes] = [builder.parameter('i32'), builder.parameter('i32')];
      const scalar = () => builder.parameter('f32');
      const [alpha, gamma, scale] = [scalar(), scalar(), scalar()];
      const lanes = () => builder.local('v128');
      const [gammas, known, y, losses, rowScale] = [lanes(), lanes(), lanes(), lanes(), lanes()];
      const [anySlope, presentSlope, absentSlope] = [builder.local('f32'), lanes(), lanes()];
      const left = builder.local('i32');
      const term = vectorTerm(builder, focusing, gammas);
      const sharedSlope = (share: 'presentShare' | 'absentShare') =>
        vector.splat(f32.multiply(anySlope, load(records, share)));

      const anyClass: Code = [
        term.compute(vector.splat(load(records, 'anyLogit')), vector.splat(load(records, 'anyTarget'))),
        store(
          records,
          'anyClass',
          whereLabeled(
            vector.lane(term.loss, 0),
            f32.greaterThan(load(records, 'presentShare'), f32.constant(0)),
          ),
        ),
        set(anySlope, f32.multiply(alpha, vector.lane(term.slope, 0))),
        set(presentSlope, sharedSlope('presentShare')),
        set(absentSlope, sharedSlope('absentShare')),
      ];
      const group: Code = [
        set(known, knownLanes(targets, left)),
        set(y, vector.and(vector.load(targets), known)),
        term.compute(vector.and(vector.load(logits), known), y),
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
      return [set(gammas, vector.splat(gamma)), whileTrue(i32.greaterThan(rows, i32.constant(0)), row)];
    },
  };
}
