// Sorts scores without comparisons or objects: a radix sort on 32 bits of each score, which are all of a float32, or the
// sign, the exponent and 20 bits of the mantissa of a float64. Only float64 scores that agree in those bits need to be
// compared.

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const DIGIT_MASK = DIGITS - 1;
const SHORT_RUN = 24;

/** Sorts one column of scores after another in the same memory; allocating would cost more than sorting. */
export interface ScoreSorter {
  /** The caller fills this with the `descendingKey` of each score. */
  readonly keys: Uint32Array;
  /** The caller fills this with the entries to sort, one per score. */
  readonly entries: Uint32Array;
  /**
   * Writes the first `count` entries from the highest score to the lowest, with equal scores in no particular order, and
   * sets the bit `endsTie` in every entry after which the score drops. `scoreOf` returns the score of an entry; it is
   * called only if keys are equal.
   */
  sort(count: number, scoreOf: (entry: number) => number, endsTie: number, sorted: Uint32Array): void;
}

/** Returns a key that decreases as the score increases, from the score's upper 32 bits. Both zeros have the same key. */
export function descendingKey(bits: number): number {
  // The bits of a positive float increase with its value; those of a negative one decrease.
  return bits & 0x7fffffff && bits & 0x80000000 ? bits : ~(bits | 0x80000000);
}

/**
 * Creates a sorter for up to `capacity` scores.
 *
 * @example
 * const sorter = scoreSorter(3);
 * const scores = new Float32Array([0.2, 0.9, 0.5]);
 * sorter.keys.set(new Uint32Array(scores.buffer).map(descendingKey));
 * sorter.entries.set([0, 1, 2]);
 * const order = new Uint32Array(3);
 * sorter.sort(3, (entry) => scores[entry]!, 0x80, order); // order is now 1 2 0, each with the bit 0x80
 */
export function scoreSorter(capacity: number): ScoreSorter {
  const [keys, entries] = [new Uint32Array(capacity), new Uint32Array(capacity)];
  const [otherKeys, otherEntries] = [new Uint32Array(capacity), new Uint32Array(capacity)];
  const starts = new Uint32Array(3 * DIGITS);
  const startsOf = (pass: number) => starts.subarray(pass * DIGITS, (pass + 1) * DIGITS);

  const sort: ScoreSorter['sort'] = (count, scoreOf, endsTie, sorted) => {
    countDigits(keys, starts, count);
    distribute(keys, entries, otherKeys, otherEntries, startsOf(0), 0, count);
    distribute(otherKeys, otherEntries, keys, entries, startsOf(1), DIGIT_BITS, count);
    distribute(keys, entries, otherKeys, sorted, startsOf(2), 2 * DIGIT_BITS, count);
    orderRuns(otherKeys, sorted, scoreOf, endsTie, count);
  };
  return { keys, entries, sort };
}

/** Computes, for every pass, where each digit's entries start. */
function countDigits(keys: Uint32Array, starts: Uint32Array, count: number): void {
  starts.fill(0);
  for (let i = 0; i < count; i++) {
    const key = keys[i]!;
    const low = key & DIGIT_MASK;
    const middle = DIGITS + ((key >>> DIGIT_BITS) & DIGIT_MASK);
    const high = 2 * DIGITS + (key >>> (2 * DIGIT_BITS));
    starts[low] = starts[low]! + 1;
    starts[middle] = starts[middle]! + 1;
    starts[high] = starts[high]! + 1;
  }
  let position = 0;
  for (let slot = 0; slot < starts.length; slot++) {
    if (slot % DIGITS === 0) position = 0;
    const size = starts[slot]!;
    starts[slot] = position;
    position += size;
  }
}

function distribute(
  keys: Uint32Array,
  entries: Uint32Array,
  toKeys: Uint32Array,
  toEntries: Uint32Array,
  starts: Uint32Array,
  shift: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const key = keys[i]!;
    const digit = (key >>> shift) & DIGIT_MASK;
    const position = starts[digit]!;
    starts[digit] = position + 1;
    toKeys[position] = key;
    toEntries[position] = entries[i]!;
  }
}

function orderRuns(
  keys: Uint32Array,
  sorted: Uint32Array,
  scoreOf: (entry: number) => number,
  endsTie: number,
  count: number,
): void {
  let begin = 0;
  for (let i = 1; i <= count; i++) {
    if (i < count && keys[i] === keys[begin]) continue;
    if (i - begin > 1) orderRun(sorted, scoreOf, endsTie, begin, i);
    sorted[i - 1] = sorted[i - 1]! | endsTie;
    begin = i;
  }
}

/** Sorts entries with the same key, and marks the ends of ties except the last. */
function orderRun(
  sorted: Uint32Array,
  scoreOf: (entry: number) => number,
  endsTie: number,
  begin: number,
  end: number,
): void {
  if (areTied(sorted, scoreOf, begin, end)) return;
  if (end - begin > SHORT_RUN) sorted.subarray(begin, end).sort((a, b) => scoreOf(b) - scoreOf(a));
  else insertionSort(sorted, scoreOf, begin, end);
  for (let i = begin + 1; i < end; i++) {
    const before = sorted[i - 1]!;
    if (scoreOf(before) > scoreOf(sorted[i]!)) sorted[i - 1] = before | endsTie;
  }
}

/** Scores with few digits are tied in long runs, which need no order. */
function areTied(
  sorted: Uint32Array,
  scoreOf: (entry: number) => number,
  begin: number,
  end: number,
): boolean {
  const score = scoreOf(sorted[begin]!);
  for (let i = begin + 1; i < end; i++) if (scoreOf(sorted[i]!) !== score) return false;
  return true;
}

function insertionSort(
  sorted: Uint32Array,
  scoreOf: (entry: number) => number,
  begin: number,
  end: number,
): void {
  for (let i = begin + 1; i < end; i++) {
    const moved = sorted[i]!;
    const score = scoreOf(moved);
    let position = i;
    while (position > begin && scoreOf(sorted[position - 1]!) < score) {
      sorted[position] = sorted[position - 1]!;
      position--;
    }
    sorted[position] = moved;
  }
}
