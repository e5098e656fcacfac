// An argsort without comparisons or objects: a radix sort on the upper 32 bits of the scores as float64 (sign,
// exponent and 20 bits of mantissa), after which only the short runs that agree in them are left to put in order.

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const DIGIT_MASK = DIGITS - 1;
const PASSES = 3;
const SHORT_RUN = 24;

/** Sorts one column of scores after another in the same memory: fresh memory would cost more than the sorting. */
export interface RowSorter {
  /** To be filled with scores. */
  readonly values: Float64Array;
  /**
   * The positions of the first `count` values from the largest to the smallest, equal values in no stated order.
   * Valid until the next call.
   */
  descendingOrder(count: number): Uint32Array;
}

/**
 * A sorter for up to `capacity` scores.
 *
 * @example
 * const sorter = rowSorter(3);
 * sorter.values.set([0.2, 0.9, 0.5]);
 * sorter.descendingOrder(3) // 1 2 0
 */
export function rowSorter(capacity: number): RowSorter {
  const values = new Float64Array(capacity);
  const words = new Uint32Array(values.buffer);
  const starts = new Uint32Array(PASSES * DIGITS);
  let keys = new Uint32Array(capacity);
  let order = new Uint32Array(capacity);
  let nextKeys = new Uint32Array(capacity);
  let nextOrder = new Uint32Array(capacity);

  const descendingOrder = (count: number) => {
    fillKeys(values, words, keys, order, count);
    fillStarts(keys, starts, count);
    for (let pass = 0; pass < PASSES; pass++) {
      const start = starts.subarray(pass * DIGITS, (pass + 1) * DIGITS);
      distribute(keys, order, nextKeys, nextOrder, start, pass * DIGIT_BITS, count);
      [keys, nextKeys] = [nextKeys, keys];
      [order, nextOrder] = [nextOrder, order];
    }
    orderRuns(values, keys, order, count);
    return order.subarray(0, count);
  };
  return { values, descendingOrder };
}

// Ascending keys for descending values. The bits of a positive float rise with it and those of a negative one fall.
function fillKeys(
  values: Float64Array,
  words: Uint32Array,
  keys: Uint32Array,
  order: Uint32Array,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    // -0 equals 0, but its bits do not.
    const upper = values[i] === 0 ? 0 : words[2 * i + 1]!;
    keys[i] = upper & 0x80000000 ? upper : ~(upper | 0x80000000);
    order[i] = i;
  }
}

/** For every pass, where each digit's entries begin. */
function fillStarts(keys: Uint32Array, starts: Uint32Array, count: number): void {
  starts.fill(0);
  for (let i = 0; i < count; i++) {
    const key = keys[i]!;
    for (let pass = 0; pass < PASSES; pass++) {
      const slot = pass * DIGITS + ((key >>> (pass * DIGIT_BITS)) & DIGIT_MASK);
      starts[slot] = starts[slot]! + 1;
    }
  }
  for (let pass = 0; pass < PASSES; pass++) {
    let position = 0;
    for (let slot = pass * DIGITS; slot < (pass + 1) * DIGITS; slot++) {
      const size = starts[slot]!;
      starts[slot] = position;
      position += size;
    }
  }
}

function distribute(
  keys: Uint32Array,
  order: Uint32Array,
  nextKeys: Uint32Array,
  nextOrder: Uint32Array,
  start: Uint32Array,
  shift: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const key = keys[i]!;
    const digit = (key >>> shift) & DIGIT_MASK;
    const position = start[digit]!;
    start[digit] = position + 1;
    nextKeys[position] = key;
    nextOrder[position] = order[i]!;
  }
}

function orderRuns(values: Float64Array, keys: Uint32Array, order: Uint32Array, count: number): void {
  let begin = 0;
  for (let i = 1; i <= count; i++) {
    if (i < count && keys[i] === keys[begin]) continue;
    if (i - begin > SHORT_RUN) order.subarray(begin, i).sort((a, b) => values[b]! - values[a]!);
    else if (i - begin > 1) insertionSort(values, order, begin, i);
    begin = i;
  }
}

function insertionSort(values: Float64Array, order: Uint32Array, begin: number, end: number): void {
  for (let i = begin + 1; i < end; i++) {
    const moved = order[i]!;
    const value = values[moved]!;
    let position = i;
    while (position > begin && values[order[position - 1]!]! < value) {
      order[position] = order[position - 1]!;
      position--;
    }
    order[position] = moved;
  }
}
