import { describe, expect, test } from 'vitest';
import { simulatedLog } from '../../../../bench/core/simulatedLogs.js';
import { readVectors } from '../../test/files.js';
import { FRACTIONS } from './bets.js';
import type { LogLine } from './logLine.js';
import { createMonitor, type MissedMonitoring, type Monitoring, monitor } from './monitor.js';
import { monitorPair } from './pairedMonitor.js';

interface MonitorCase {
  readonly name: string;
  readonly falseAlarms: number;
  readonly log: readonly LogLine[];
  readonly labels: Record<string, 0 | 1>;
  readonly expected: Pick<
    Monitoring,
    'capital' | 'certificate' | 'alert' | 'rate' | 'verdict' | 'images' | 'audited'
  >;
}
const vectors: { grid: number[]; threshold: number; resolution: number; cases: MonitorCase[] } =
  readVectors('monitor.json');

describe('an independent implementation finds the same', () => {
  test('fractions', () => {
    FRACTIONS.forEach((fraction, k) => {
      expect(fraction).toBeCloseTo(vectors.grid[k]!, 14);
    });
  });
  test.each(vectors.cases)('$name', ({ falseAlarms, log, labels, expected }) => {
    const known = new Map(Object.entries(labels).map(([id, negative]) => [id, negative === 1]));
    const found = monitor(log, known, { falseAlarms });
    const { capital, certificate, ...exact } = expected;
    expect(Math.abs(found.capital / capital - 1)).toBeLessThan(1e-9);
    expect(Math.abs(found.certificate / certificate - 1)).toBeLessThan(1e-9);
    expect(found).toMatchObject({ ...exact, threshold: vectors.threshold });
    expect(found.path.at(-1)).toMatchObject({ capital: found.capital, certificate: found.certificate });
  });
});

function labelOf(labels: ReadonlyMap<string, boolean>, id: string): [string, boolean][] {
  const label = labels.get(id);
  return label === undefined ? [] : [[id, label]];
}

describe('over simulated streams', () => {
  const STREAMS = 40;
  const results = (rate: number, options: Partial<Parameters<typeof simulatedLog>[0]> = {}) =>
    Array.from({ length: STREAMS }, (_, seed) => {
      const { log, labels } = simulatedLog({ images: 2500, q: 0.1, rate, seed, ...options });
      return monitor(log, labels, { falseAlarms: 0.05 });
    });
  const kept = results(0.05);
  const alerted = (found: readonly Monitoring[]) => found.filter(({ alert }) => alert !== null);
  const most = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / STREAMS);

  test('a promise that is just kept is accused with at most the stated probability, at any time', () => {
    expect(alerted(kept).length / STREAMS).toBeLessThanOrEqual(most);
  });
  test('a broken promise is found, and in how many images', () => {
    const found = alerted(results(0.1));
    expect(found).toHaveLength(STREAMS);
    const lines = found.map(({ alert }) => alert!.line).sort((a, b) => a - b);
    // The specification's own simulation has a median of 392.
    expect(lines[STREAMS / 2]).toBeGreaterThan(200);
    expect(lines[STREAMS / 2]).toBeLessThan(800);
  });
  test('the range of the rate holds it at all times', () => {
    for (const rate of [0.02, 0.05, 0.12]) {
      const found = rate === 0.05 ? kept : results(rate);
      const outside = found.filter(({ rate: { low, high } }) => low > rate || high < rate);
      expect(outside.length / STREAMS).toBeLessThanOrEqual(2 * most);
    }
  });
  test('labels that never come accuse nobody, and certify nothing', () => {
    const late = { labeledDrawn: 0, labeledAlarms: 1 };
    expect(alerted(results(0.04, late)).length / STREAMS).toBeLessThanOrEqual(most);
    const half = results(0.08, { labeledDrawn: 1, labeledAlarms: 0.5 });
    expect(half.filter(({ verdict }) => verdict === 'holds')).toEqual([]);
  });
  test('labels that come late accuse nobody, however often one looks', () => {
    const isAccused = (seed: number) => {
      const { log, labels } = simulatedLog({ images: 2500, q: 0.1, rate: 0.045, seed });
      return [500, 1000, 1500, 2000, 2500].some((now) => {
        const known = new Map(log.slice(0, Math.max(0, now - 600)).flatMap(({ id }) => labelOf(labels, id)));
        return monitor(log.slice(0, now), known, { falseAlarms: 0.05 }).alert !== null;
      });
    };
    const accused = Array.from({ length: STREAMS }, (_, seed) => isAccused(seed)).filter(Boolean);
    expect(accused.length / STREAMS).toBeLessThanOrEqual(most);
  });
  test('a promise of 0.1% can be certified, for which the bounds of the rate are finer than that', () => {
    const log = Array.from({ length: 8000 }, (_, k) => ({
      id: `${k}`,
      isNegative: true,
      audit: { q: 1, drawn: true },
    }));
    const labels = new Map(log.map(({ id }) => [id, true]));
    const { verdict, rate } = monitor(log, labels, { falseAlarms: 0.001 });
    expect(verdict).toBe('holds');
    expect(rate).toEqual({ low: 0, high: 0.0008 });
    expect(monitor(log, labels, { falseAlarms: 0.01 }).rate.high).toBe(0.001);
  });
  test('a share of audits that changes does not matter', () => {
    const q = (line: number) => (Math.floor(line / 300) % 2 === 0 ? 0.02 : 0.3);
    expect(alerted(results(0.05, { q })).length / STREAMS).toBeLessThanOrEqual(most);
    expect(alerted(results(0.12, { q }))).toHaveLength(STREAMS);
  });
  test('the drawn positives tell how many are missed', () => {
    const found = results(0.05, { positives: 0.3 });
    const mean = found.reduce((sum, { missedShare }) => sum + missedShare!, 0) / STREAMS;
    // Half of the positives alarm.
    expect(mean).toBeGreaterThan(0.45);
    expect(mean).toBeLessThan(0.55);
    expect(found[0]!.drawnPositives).toBeGreaterThan(40);
    expect(monitor([], new Map(), { falseAlarms: 0.05 })).toMatchObject({
      drawnPositives: 0,
      missedShare: null,
    });
  });
  test('a prevalence that changes does not matter', () => {
    expect(alerted(results(0.05, { positives: 0.7 })).length / STREAMS).toBeLessThanOrEqual(most);
  });
  test('the share of alarms alone bounds the rate if negatives are known to be common', () => {
    const found = Array.from({ length: 40 }, (_, seed) => {
      const { log } = simulatedLog({ images: 4000, q: 0.1, rate: 0.01, seed, positives: 0.02 });
      return monitor(log, new Map(), { falseAlarms: 0.05, negativesAtLeast: 0.9 }).freeBound!;
    });
    for (const bound of found) {
      expect(bound).toBeGreaterThan(0.01);
      expect(bound).toBeLessThan(0.05);
    }
  });
  test('a change after a long quiet time is found sooner by the sum of capitals', () => {
    const quiet = simulatedLog({ images: 12_000, q: 0.3, rate: 0.03, seed: 5 });
    const broken = simulatedLog({ images: 6000, q: 0.3, rate: 0.15, seed: 6, prefix: 'later' });
    const log = [...quiet.log, ...broken.log];
    const labels = new Map([...quiet.labels, ...broken.labels]);
    const { change, alert } = monitor(log, labels, { falseAlarms: 0.05 });
    expect(change.alert!.line).toBeGreaterThan(12_000);
    expect(change.alert!.line).toBeLessThan(14_000);
    expect(alert === null || alert.line > change.alert!.line).toBe(true);
    expect(monitor(quiet.log, quiet.labels, { falseAlarms: 0.05 }).change.alert).toBeNull();
  });
  test('the number of audits to a verdict is roughly told', () => {
    const whole = simulatedLog({ images: 30_000, q: 0.1, rate: 0.09, seed: 3 });
    const part = monitor(whole.log.slice(0, 150), whole.labels, { falseAlarms: 0.05 });
    expect(part.verdict).toBe('undecided');
    expect(part.auditsToDecide).toBeGreaterThan(10);
    expect(part.auditsToDecide).toBeLessThan(2000);
    expect(monitor(whole.log, whole.labels, { falseAlarms: 0.05 })).toMatchObject({
      verdict: 'broken',
      auditsToDecide: 0,
    });
  });
});

describe('the promise on positives that are cleared', () => {
  const STREAMS = 40;
  const results = (cleared: number, options: Partial<Parameters<typeof simulatedLog>[0]> = {}) =>
    Array.from({ length: STREAMS }, (_, seed) => {
      const shape = { images: 3000, q: 0.3, rate: 0.02, positives: 0.4, seed, ...options };
      const { log, labels } = simulatedLog({ ...shape, cleared });
      return monitor(log, labels, { falseAlarms: 0.05, missed: 0.05 });
    });
  const share = (found: readonly Monitoring[], has: (missed: MissedMonitoring) => boolean) =>
    found.filter(({ missed }) => has(missed!)).length / STREAMS;
  const isAccused = ({ alert }: MissedMonitoring) => alert !== null;
  const most = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / STREAMS);

  test('is accused with at most the stated probability while it is kept, whatever happens to the coin or to prevalence', () => {
    const q = (line: number) => (Math.floor(line / 300) % 2 === 0 ? 0.05 : 0.6);
    for (const found of [results(0.05), results(0.05, { q }), results(0.05, { positives: 0.8 })]) {
      expect(share(found, isAccused)).toBeLessThanOrEqual(most);
      expect(share(found, ({ rate }) => rate.low > 0.05 || rate.high < 0.05)).toBeLessThanOrEqual(2 * most);
    }
  });
  test('is found to be broken, or to hold', () => {
    expect(share(results(0.15), ({ verdict }) => verdict === 'broken')).toBe(1);
    expect(share(results(0.005), ({ verdict }) => verdict === 'holds')).toBe(1);
  });
  test('is neither accused nor certified by labels that are missing', () => {
    expect(share(results(0.04, { labeledDrawn: 0 }), isAccused)).toBe(0);
    expect(share(results(0.1, { labeledDrawn: 0.5 }), ({ verdict }) => verdict === 'holds')).toBe(0);
  });
  test('rests on drawn images alone, and leaves the other promise as it is', () => {
    const { log, labels } = simulatedLog({ images: 500, q: 0.2, rate: 0.05, seed: 1, cleared: 0.1 });
    const { missed, ...both } = monitor(log, labels, { falseAlarms: 0.05, missed: 0.05 });
    expect(both).toEqual(monitor(log, labels, { falseAlarms: 0.05 }));
    const drawn = log.filter(({ audit }) => audit!.drawn);
    expect(monitor(drawn, labels, { falseAlarms: 0.05, missed: 0.05 }).missed).toMatchObject({
      capital: missed!.capital,
      certificate: missed!.certificate,
    });
    const cleared = drawn.filter(({ id, outcome }) => outcome === 'clear' && labels.get(id) === false);
    expect(missed!.cleared).toBe(cleared.length);
    expect(missed!.estimate).toBeCloseTo(cleared.length / both.drawnPositives, 12);
  });
  test('bets 1 - m on a drawn positive that was cleared, and -m on another, with the mean over all fractions', () => {
    const audit = { q: 0.3, drawn: true };
    const log: LogLine[] = [
      { id: 'a', outcome: 'clear', audit },
      { id: 'b', outcome: 'review', audit },
      { id: 'c', outcome: 'alarm', audit },
      { id: 'd', outcome: 'clear', audit },
      { id: 'e', outcome: 'review', audit },
      { id: 'f', outcome: 'clear', audit: { q: 0.3, drawn: false } },
    ];
    const known = new Map(['a', 'b', 'c', 'f'].map((id) => [id, false]));
    const { missed } = monitor(log, known, { falseAlarms: 0.05, missed: 0.1 });
    const mean = (of: (c: number) => number) =>
      FRACTIONS.reduce((sum, c) => sum + of(c), 0) / FRACTIONS.length;
    // d is unlabeled: nothing for the accusation, a missed positive for the certificate; e, in the same order: a positive, nothing.
    expect(missed!.capital).toBeCloseTo(
      mean((c) => (1 + 0.9 * c) * (1 - 0.1 * c) ** 3),
      12,
    );
    expect(missed!.certificate).toBeCloseTo(
      mean((c) => (1 - 0.9 * c) ** 2 * (1 + 0.1 * c) ** 2),
      12,
    );
    expect(missed).toMatchObject({ limit: 0.1, cleared: 1, unlabeled: 2, estimate: 1 / 3 });
  });
});

describe('the latest audits alone', () => {
  const audit = { q: 1, drawn: true };
  /** Images of which every fiftieth alarms, and of the last 200 every fourth. */
  const log = Array.from(
    { length: 1200 },
    (_, i): LogLine => ({
      id: `i${i}`,
      isNegative: i % (i < 1000 ? 50 : 4) !== 0,
      audit,
    }),
  );
  const ids = log.map(({ id }) => id);
  const recent = (lines: LogLine[], labeled: readonly string[]) =>
    monitor(lines, new Map(labeled.map((id) => [id, true])), { falseAlarms: 0.05 }).recent;
  test('say what the same audits say as a log of their own, at their end and in any order', () => {
    const found = recent(log, ids);
    expect(found.map(({ line, id, events }) => [line, id, events])).toEqual([
      [1101, 'i1100', 100],
      [901, 'i900', 300],
      [201, 'i200', 1000],
    ]);
    const [hundred, , thousand] = found;
    expect(hundred!.rate.low).toBeGreaterThan(0.1);
    expect(hundred!.rate.low).toBeLessThan(0.25);
    expect(hundred!.rate.high).toBeGreaterThan(0.25);
    expect(thousand!.rate.low).toBeLessThan(0.06);
    const last = log.slice(1100);
    for (const { claim, rate } of [
      { claim: 'at most', rate: hundred!.rate.low },
      { claim: 'at least', rate: hundred!.rate.high },
    ] as const) {
      const capitalAt = (limit: number) => {
        const { capital, certificate } = monitor(last, new Map(ids.map((id) => [id, true])), {
          falseAlarms: limit,
        });
        return claim === 'at most' ? capital : certificate;
      };
      const inward = claim === 'at most' ? 0.001 : -0.001;
      expect(capitalAt(rate)).toBeGreaterThanOrEqual(20);
      expect(capitalAt(rate + inward)).toBeLessThan(20);
    }
    expect(recent([...log.slice(0, 1100), ...last.toReversed()], ids)[0]!.rate).toEqual(hundred!.rate);
  });
  test('end at the latest label; with no more audits than these, there is nothing to add', () => {
    expect(recent(log, ids.slice(0, 500)).map(({ line }) => line)).toEqual([401, 201]);
    expect(recent(log.slice(0, 100), ids)).toEqual([]);
    expect(recent(log, [])).toEqual([]);
  });
});

describe('of a group, one line counts', () => {
  const line = (id: string, group: string | number): LogLine => ({
    id,
    group,
    isNegative: false,
    audit: { q: 0.5, drawn: true },
  });
  test('the same one in every order', () => {
    const lines = ['a', 'b', 'c', 'd', 'e'].map((id) => line(id, 'p1'));
    const labels = new Map(lines.map(({ id }, k) => [id, k % 2 === 0]));
    const forward = monitor(lines, labels, { falseAlarms: 0.05 });
    const backward = monitor([...lines].reverse(), labels, { falseAlarms: 0.05 });
    expect(forward).toMatchObject({ images: 1, audited: 1, alarmShare: 1 });
    expect(backward.capital).toBe(forward.capital);
  });
  test('also if its name is written as a number in one line and as text in another', () => {
    const lines = [line('a', 1), line('b', '1'), line('c', 1)];
    expect(monitor(lines, new Map(), { falseAlarms: 0.05 })).toMatchObject({ images: 1, unlabeled: 1 });
    const pairs = lines.map((each) => ({ ...each, shadow: { isNegative: true } }));
    expect(monitorPair(pairs, new Map()).falseAlarms.unlabeled).toBe(1);
  });
  test('also if it is neither an alarm nor drawn', () => {
    const silent: LogLine[] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id, k) => ({
      id,
      group: 'p1',
      isNegative: k !== 0,
      audit: { q: 0.5, drawn: false },
    }));
    const { images, alarmShare } = monitor(silent, new Map(), { falseAlarms: 0.05 });
    expect(images).toBe(1);
    expect([0, 1]).toContain(alarmShare);
  });
});

describe('lines', () => {
  const audit = { q: 0.5, drawn: true };
  test('with the same id count once, those without an audit nowhere, and an outcome wins', () => {
    const log: LogLine[] = [
      { id: 'a', isNegative: true, outcome: 'alarm', audit },
      { id: 'a', isNegative: true, audit },
      { id: 'b', isNegative: false },
      { id: 'c', isNegative: false, outcome: 'review', audit },
    ];
    const labels = new Map([...'abc'].map((id) => [id, true]));
    expect(monitor(log, labels, { falseAlarms: 0.05 })).toMatchObject({
      images: 2,
      audited: 2,
      alarmShare: 0.5,
    });
  });
  test('can be added one by one, and asked for', () => {
    const stream = createMonitor(new Map(), { falseAlarms: 0.05 });
    stream.add({ id: 'a', isNegative: true, audit });
    expect(stream.hasLine('a')).toBe(true);
    expect(stream.hasLine('b')).toBe(false);
    expect(stream.result()).toMatchObject({ images: 1, audited: 0, unlabeled: 1, verdict: 'undecided' });
  });
  test('the example in the documentation holds', () => {
    const log: LogLine[] = [
      { id: 'a', isNegative: false, audit: { q: 0.1, drawn: false } },
      { id: 'b', isNegative: true, audit: { q: 0.1, drawn: true } },
      { id: 'c', isNegative: true, audit: { q: 0.1, drawn: false } },
    ];
    const labels = new Map([
      ['a', true],
      ['b', true],
    ]);
    const { verdict, capital } = monitor(log, labels, { falseAlarms: 0.05 });
    expect(verdict).toBe('undecided');
    expect(capital).toBeCloseTo(1.029, 3);
  });
  test.each<[string, LogLine, string]>([
    ['q', { id: 'a', isNegative: true, audit: { q: 0, drawn: true } }, 'line 2 (a): audit.q is 0'],
    ['q', { id: 'a', isNegative: true, audit: { q: 1.5, drawn: true } }, 'line 2 (a): audit.q is 1.5'],
    ['an answer', { id: 'a', audit }, 'line 2 (a) has neither isNegative nor outcome'],
    ['an id', { id: '', isNegative: true, audit }, 'line 2 has no id'],
  ])('without a valid %s are refused by number', (_, line, message) => {
    expect(() =>
      monitor([{ id: 'first', isNegative: true, audit }, line], new Map(), { falseAlarms: 0.05 }),
    ).toThrow(message);
  });
  test.each<[Parameters<typeof monitor>[2], string]>([
    [{ falseAlarms: 5 }, 'falseAlarms is 5'],
    [{ falseAlarms: 0.05, missed: 0 }, 'missed is 0'],
    [{ falseAlarms: 0.05, confidence: 1 }, 'confidence is 1'],
    [{ falseAlarms: 0.05, resolution: 0 }, 'resolution is 0'],
    [{ falseAlarms: 0.05, negativesAtLeast: 0 }, 'negativesAtLeast is 0'],
    [{ falseAlarms: 0.05, auditsBetweenChanges: 1 }, 'auditsBetweenChanges is 1'],
  ])('options that make no sense are named', (options, message) => {
    expect(() => monitor([], new Map(), options)).toThrow(message);
  });
  test('without any, nothing is decided', () => {
    expect(monitor([], new Map(), { falseAlarms: 0.05, negativesAtLeast: 0.5 })).toMatchObject({
      verdict: 'undecided',
      capital: 1,
      certificate: 1,
      rate: { low: 0, high: 1 },
      estimate: null,
      auditsToDecide: null,
      freeBound: 1,
      path: [],
    });
  });
});
