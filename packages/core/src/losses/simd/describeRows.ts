import { type Code, f32, i32, type Local, set, vector, type WasmFunction, whileTrue } from './assembler.js';
import {
  advance,
  highestLane,
  knownLanes,
  LANES,
  orZero,
  RECORD_ENTRIES,
  stepBack,
  store,
  sumOfLanes,
} from './rowGroups.js';

const { all } = vector;

/** The first scalar pass, four classes at a time: fills each row's record. Returns 1 if a target is not in [0, 1]. */
export const describeRows: WasmFunction = {
  name: 'describeRows',
  result: 'i32',
  write(builder) {
    const address = () => builder.parameter('i32');
    const [logits, targets, weights, records] = [address(), address(), address(), address()];
    const [rows, classes] = [builder.parameter('i32'), builder.parameter('i32')];
    const [lambda, negativeWeight] = [builder.parameter('f32'), builder.parameter('f32')];
    const scalar = () => builder.local('f32');
    const lanes = () => builder.local('v128');
    const [left, weightAt] = [builder.local('i32'), builder.local('i32')];
    const [known, y, z, isBad] = [lanes(), lanes(), lanes(), lanes()];
    const sums = { known: lanes(), target: lanes(), logit: lanes(), presentLogit: lanes(), weight: lanes() };
    const highest = lanes();
    const [knownCount, present, anyTarget] = [scalar(), scalar(), scalar()];
    const [absent, share] = [scalar(), scalar()];
    const accumulate = (sum: Local, value: Code) => set(sum, vector.add(sum, value));

    const group: Code = [
      set(known, knownLanes(targets, left)),
      set(y, vector.and(vector.load(targets), known)),
      set(z, vector.and(vector.load(logits), known)),
      set(isBad, vector.or(isBad, vector.or(vector.lessThan(y, all(0)), vector.greaterThan(y, all(1))))),
      accumulate(sums.known, vector.and(known, all(1))),
      accumulate(sums.target, y),
      accumulate(sums.logit, z),
      accumulate(sums.presentLogit, vector.multiply(y, z)),
      accumulate(sums.weight, vector.multiply(y, vector.and(vector.load(weightAt), known))),
      set(highest, vector.maximum(highest, y)),
      advance(logits, LANES),
      advance(targets, LANES),
      advance(weightAt, LANES),
      set(left, i32.add(left, i32.constant(-LANES))),
    ];
    const total = f32.add(present, f32.multiply(f32.subtract(knownCount, present), absent));
    const absentLogit = f32.subtract(sumOfLanes(sums.logit), sumOfLanes(sums.presentLogit));
    const isLabeled = f32.greaterThan(knownCount, f32.constant(0));
    const isDecided = i32.or(
      f32.greaterOrEqual(anyTarget, f32.constant(0.5)),
      f32.equal(knownCount, f32.fromInteger(classes)),
    );
    const row: Code = [
      ...Object.values(sums).map((sum) => set(sum, all(0))),
      set(highest, all(0)),
      set(left, classes),
      set(weightAt, weights),
      whileTrue(i32.greaterThan(left, i32.constant(0)), group),
      stepBack(logits, left),
      stepBack(targets, left),
      set(knownCount, sumOfLanes(sums.known)),
      set(present, sumOfLanes(sums.target)),
      set(anyTarget, highestLane(highest)),
      set(absent, f32.add(f32.multiply(anyTarget, lambda), f32.subtract(f32.constant(1), anyTarget))),
      set(share, orZero(f32.divide(f32.constant(1), total), isDecided)),
      store(records, 'anyTarget', anyTarget),
      store(
        records,
        'anyLogit',
        // A share of 0 is not enough, since it would not turn an overflowed sum into 0.
        orZero(
          f32.multiply(share, f32.add(sumOfLanes(sums.presentLogit), f32.multiply(absent, absentLogit))),
          isDecided,
        ),
      ),
      store(records, 'presentShare', share),
      store(records, 'absentShare', f32.multiply(absent, share)),
      store(
        records,
        'weight',
        orZero(
          f32.add(
            sumOfLanes(sums.weight),
            f32.multiply(f32.subtract(f32.constant(1), anyTarget), negativeWeight),
          ),
          isLabeled,
        ),
      ),
      store(
        records,
        'presences',
        orZero(f32.add(present, f32.subtract(f32.constant(1), anyTarget)), isLabeled),
      ),
      advance(records, RECORD_ENTRIES),
      set(rows, i32.add(rows, i32.constant(-1))),
    ];
    return [whileTrue(i32.greaterThan(rows, i32.constant(0)), row), vector.anyTrue(isBad)];
  },
};
