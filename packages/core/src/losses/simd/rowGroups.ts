// What both passes of the kernel share. Four classes are processed at a time, and rows have no padding. A row's last
// group may extend into the next row; those lanes are masked when read and overwritten when the next row is processed.

import { type Code, f32, i32, type Local, select, set, vector } from './assembler.js';

/** Float32 entries of a row's record in the kernel's memory. */
export const RECORD = {
  anyTarget: 0,
  anyLogit: 1,
  presentShare: 2,
  absentShare: 3,
  weight: 4,
  presences: 5,
  base: 6,
  anyClass: 7,
} as const;
export const RECORD_ENTRIES = 8;

export const LANES = 4;
export const BYTES = 4;

/** Lanes that belong to the row and whose target is not NaN. */
export function knownLanes(targets: Local, left: Local): Code {
  const loaded = vector.load(targets);
  return vector.and(
    vector.equal(loaded, loaded),
    vector.integerLessThan(vector.laneNumbers(), vector.splatInteger(left)),
  );
}

export function sumOfLanes(lanes: Local): Code {
  const [first, second, third, fourth] = lanesOf(lanes);
  return f32.add(f32.add(first, second), f32.add(third, fourth));
}

export function highestLane(lanes: Local): Code {
  const [first, second, third, fourth] = lanesOf(lanes);
  return f32.maximum(f32.maximum(first, second), f32.maximum(third, fourth));
}

function lanesOf(lanes: Local): [Code, Code, Code, Code] {
  return [vector.lane(lanes, 0), vector.lane(lanes, 1), vector.lane(lanes, 2), vector.lane(lanes, 3)];
}

/** The value if the condition holds, otherwise 0. */
export function orZero(value: Code, condition: Code): Code {
  return select(value, f32.constant(0), condition);
}

export function load(record: Local, entry: keyof typeof RECORD): Code {
  return f32.load(record, RECORD[entry] * BYTES);
}

export function store(record: Local, entry: keyof typeof RECORD, value: Code): Code {
  return f32.store(record, RECORD[entry] * BYTES, value);
}

export function advance(pointer: Local, entries: number): Code {
  return set(pointer, i32.add(pointer, i32.constant(entries * BYTES)));
}

/** Moves from the end of the last group back to the end of the row; `-left` is how many entries the group ran over. */
export function stepBack(pointer: Local, left: Local): Code {
  return set(pointer, i32.add(pointer, i32.multiply(left, i32.constant(BYTES))));
}
