import { describe, expect, test } from 'vitest';
import { NumpyRandom } from '../random/numpyRandom.js';
import { monitorPair, type PairedLine } from './pairedMonitor.js';

/** Two models on the same images: the second repeats most of the first's alarms. */
function pairedLog(images: number, rates: readonly [number, number], seed: number, labeled = 1) {
  const random = new NumpyRandom(seed);
  const labels = new Map<string, boolean>();
  const log = Array.from({ length: images }, (_, k): PairedLine => {
    const id = `image ${k}`;
    const isTrulyNegative = random.random() >= 0.2;
    const hardness = random.random();
    const drawn = random.random() < 0.3;
    const alarms = rates.map((rate) => hardness < (isTrulyNegative ? rate : 0.5));
    if (drawn && random.random() < labeled) labels.set(id, isTrulyNegative);
    return {
      id,
      isNegative: !alarms[0],
      audit: { q: 0.3, drawn },
      shadow: { isNegative: !alarms[1] },
    };
  });
  return { log, labels };
}

describe('over simulated streams', () => {
  test('the interval holds the difference', () => {
    let outside = 0;
    for (let seed = 0; seed < 100; seed++) {
      const { log, labels } = pairedLog(2000, [0.1, 0.06], seed);
      const { falseAlarms } = monitorPair(log, labels);
      if (falseAlarms.low > -0.04 || falseAlarms.high < -0.04) outside++;
    }
    expect(outside).toBeLessThanOrEqual(5 + 3 * 2.2);
  });
  test('a better model is told from a worse one, and equal ones are not told apart', () => {
    const better = pairedLog(8000, [0.15, 0.05], 1);
    const { falseAlarms, found } = monitorPair(better.log, better.labels);
    expect(falseAlarms.high).toBeLessThan(0);
    expect(falseAlarms.value).toBeCloseTo(-0.1, 1);
    expect(found).toMatchObject({ value: 0, first: found.second });
    const equal = pairedLog(8000, [0.1, 0.1], 1);
    expect(monitorPair(equal.log, equal.labels).falseAlarms).toMatchObject({ value: 0 });
    expect(monitorPair(equal.log, equal.labels).falseAlarms.low).toBeLessThan(0);
  });
  test('missing labels widen the interval to both sides', () => {
    const whole = pairedLog(4000, [0.15, 0.05], 2);
    const half = pairedLog(4000, [0.15, 0.05], 2, 0.5);
    const [all, some] = [whole, half].map(({ log, labels }) => monitorPair(log, labels).falseAlarms);
    expect(some!.high).toBeGreaterThan(all!.high);
    expect(some!.low).toBeLessThan(all!.low);
    expect(some!.unlabeled).toBeGreaterThan(500);
  });
});

test('only drawn images count, each id once', () => {
  const alarm = { isNegative: false };
  const log: PairedLine[] = [
    { id: 'a', ...alarm, audit: { q: 0.5, drawn: false }, shadow: { isNegative: true } },
    { id: 'b', isNegative: true, audit: { q: 0.5, drawn: true }, shadow: alarm },
    { id: 'b', isNegative: true, audit: { q: 0.5, drawn: true }, shadow: alarm },
    { id: 'c', isNegative: true, shadow: alarm },
  ];
  const labels = new Map([...'abc'].map((id) => [id, true]));
  expect(monitorPair(log, labels).falseAlarms).toMatchObject({ labeled: 1, first: 0, second: 1, value: 1 });
  expect(monitorPair([], labels).falseAlarms).toEqual({
    first: null,
    second: null,
    value: null,
    low: -1,
    high: 1,
    labeled: 0,
    unlabeled: 0,
  });
});

test('of a group one line counts, whatever its coin says, and which one does not depend on the order', () => {
  const drawn = { q: 0.5, drawn: true };
  const line = (id: string, group: string | undefined, audit = drawn): PairedLine => ({
    id,
    group,
    isNegative: true,
    audit,
    shadow: { isNegative: false },
  });
  const patient = [...'abcdefgh'].map((id) => line(id, 'patient 1'));
  const labels = new Map([...'abcdefghxyz'].map((id) => [id, true]));
  const labeled = (log: PairedLine[]) => monitorPair(log, labels).falseAlarms.labeled;
  expect(labeled([...patient, line('x', 'patient 2'), line('y', undefined), line('z', undefined)])).toBe(4);
  const counting = patient.filter(({ id }) => {
    const others = patient.map((each) => ({ ...each, audit: { q: 0.5, drawn: each.id === id } }));
    expect(labeled(others.toReversed())).toBe(labeled(others));
    return labeled(others) === 1;
  });
  expect(counting).toHaveLength(1);
});

test('groups of alike images leave the interval valid, though their images do not agree by chance', () => {
  const random = new NumpyRandom(5);
  let outside = 0;
  for (let round = 0; round < 60; round++) {
    const labels = new Map<string, boolean>();
    const log: PairedLine[] = [];
    for (let patient = 0; patient < 60; patient++) {
      // All images of a patient get the same answers; both models alarm equally often.
      const [first, second] = [random.random() < 0.2, random.random() < 0.2];
      for (let image = 0; image < 30; image++) {
        const id = `${patient}/${image}`;
        labels.set(id, true);
        const audit = { q: 1, drawn: true };
        log.push({ id, group: patient, isNegative: !first, audit, shadow: { isNegative: !second } });
      }
    }
    const { falseAlarms } = monitorPair(log, labels);
    if (falseAlarms.low > 0 || falseAlarms.high < 0) outside++;
  }
  expect(outside).toBeLessThanOrEqual(6);
});
