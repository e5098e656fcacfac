import { expect, test } from 'vitest';
import { budgetBar } from './budgetBar.js';
import { calibrationChart } from './calibration.js';
import { forest } from './forest.js';
import { spreadLabels } from './labels.js';
import { lineChart } from './lineChart.js';
import { matrix } from './matrix.js';
import { parallel } from './parallel.js';
import { chartFile, plot } from './plot.js';
import { seriesLook } from './series.js';
import { roundRange, roundTicks } from './ticks.js';
import { tradeOff } from './tradeOff.js';

test('ticks are round and lie within the range', () => {
  expect(roundTicks(0, 1, 5).map(({ text }) => text)).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1']);
  expect(roundTicks(1, 30, 5, { isWhole: true }).map(({ at }) => at)).toEqual([10, 20, 30]);
  expect(roundTicks(0.1, 0.3, 3).map(({ at }) => at)).toEqual([0.1, 0.2, 0.3]);
});

test('a range holds its values, stays within its limits, and is never empty', () => {
  expect(roundRange([41.2, 58.9], { within: [0, 100] })).toEqual([40, 60]);
  expect(roundRange([99.5], { within: [0, 100], least: 1 })).toEqual([99, 100]);
  const [low, high] = roundRange([0.3, 0.3]);
  expect(low).toBeLessThan(high);
});

test('places are shares of the width and pixels of the height, so that text keeps its size', () => {
  const axis = { range: [0, 2], ticks: [] } as const;
  const svg = plot({ label: 'a', height: 80, x: axis, y: axis }, (at) => `${at.x(1)} ${at.y(0.5)}`);
  expect(svg).toContain('>50% 60<');
  expect(svg.slice(0, svg.indexOf('>'))).not.toContain('viewBox');
});

test('a name below the axis that a phone has no room for reaches into the right margin', () => {
  const named = (name: string) => {
    const axis = { range: [0, 2], ticks: [] } as const;
    return plot({ label: 'a', height: 80, x: { ...axis, name }, y: axis, margins: { right: 150 } }, () => '');
  };
  expect(named('epoch')).toContain('<text x="100%" y="113" text-anchor="end">epoch');
  const shift = Number(/dx="(\d+)"/.exec(named('false alarms seen on test, % of negatives'))?.[1]);
  expect(shift).toBeGreaterThan(40);
  expect(shift).toBeLessThanOrEqual(150);
});

test('a matrix has numbers for columns only where names are long', () => {
  const cells = [0, 1].map(() => [0, 1].map(() => ({ share: 0.5, text: '50', label: '' })));
  const heads = (names: readonly string[]) =>
    [...matrix('Together', names, cells).matchAll(/<text [^>]*y="-7"[^>]*>([^<]*)</g)].map(
      ([, text]) => text,
    );
  // Digits numbered by row would read as other digits.
  expect(heads(['3', '5'])).toEqual(['3', '5']);
  expect(heads(['crack', 'infiltration'])).toEqual(['1', '2']);
});

test('no line strikes out the values of parallel axes', () => {
  const axes = ['rate', 'F1'].map((name) => ({ name, ticks: [{ at: 1, text: '0.1274' }] }));
  const svg = parallel('Trials', axes, [{ label: 'trial 1', places: [1, 1] }]);
  // Each value has a ground of its own, above the lines.
  const [grounds, lines] = [
    [...svg.matchAll(/<rect [^>]*fill:var\(--page\)[^>]*\/><text [^>]*>0\.1274/g)],
    svg.lastIndexOf('<path'),
  ];
  expect(grounds).toHaveLength(2);
  expect(grounds.every(({ index }) => index > lines)).toBe(true);
});

test('names beside lines are whole up to a network, a loss and λ, and longer ones keep both ends', () => {
  const points = [0, 1].map((x) => ({ x, y: x }));
  const told = [
    'tresnet-l, any-focal λ=0.02',
    'tresnet-l, any-bce λ=0.02 β=0.9999',
    'tresnet-l, any-bce λ=0.02 β=0.999',
  ];
  const lines = told.map((name) => ({ name, points }));
  const svg = lineChart(lines, { label: 'F1', x: 'epoch', y: '%' });
  const names = [...svg.matchAll(/class="halo"[^>]*>([^<]*)</g)].map(([, name]) => name);
  expect(names[0]).toBe(told[0]);
  expect(new Set(names).size).toBe(3);
  expect(names[1]).toMatch(/^tresnet-l.*…/);
});

test('a chart in a file has a size, its own style, and no variables', () => {
  const chart = lineChart(
    [
      {
        name: 'F1',
        points: [
          { x: 0, y: 1 },
          { x: 1, y: 2 },
        ],
      },
    ],
    { label: 'F1 by epoch', x: 'epoch', y: '%' },
  );
  const file = chartFile(chart, 500);
  expect(file).toMatch(
    /^<svg xmlns="[^"]*" viewBox="-\d+ -\d+ 500 \d+" width="500" height="\d+" role="img" aria-label="F1 by epoch">/,
  );
  expect(file).not.toMatch(/var\(|calc\(|data-space/);
  expect(file).toContain('#16191f');
});

test('names of lines are moved apart and stay in the chart', () => {
  const heights = spreadLabels(
    [
      { text: 'a', y: 100 },
      { text: 'b', y: 99 },
      { text: 'c', y: 98 },
    ],
    100,
  );
  expect(heights).toEqual([100, 86, 72]);
});

test('no two of 24 lines look the same, and neighbors differ without color', () => {
  const looks = Array.from({ length: 24 }, (_, i) => seriesLook(i));
  expect(new Set(looks.map(({ stroke, dash }) => stroke + dash)).size).toBe(24);
  looks.slice(1).forEach(({ dash }, i) => {
    expect(dash).not.toBe(looks[i]!.dash);
  });
});

test('a line has gaps where it has no value, and jumps over none', () => {
  const points = [1, 2, null, 4, 5].map((y, x) => ({ x, y }));
  const svg = lineChart([{ name: 'a', points }], { label: 'a', x: 'x', y: 'y' });
  expect(svg.match(/<path /g)).toHaveLength(2);
});

test('a difference that holds is filled, in the color of its direction; an open one is gray', () => {
  const row = { name: 'F1', value: 0.07, low: 0.02, high: 0.12 };
  const of = (state: 'holds' | 'interval' | 'open', isBetter = true) =>
    forest('Difference', [{ title: 'a', rows: [{ ...row, state, isBetter }] }]);
  expect(of('holds')).toContain('fill:var(--found)');
  expect(of('holds', false)).toContain('fill:var(--missed)');
  expect(of('interval')).toMatch(/fill:var\(--page\);stroke:var\(--ink\)/);
  expect(of('open')).toMatch(/fill:var\(--page\);stroke:var\(--clear\)/);
  expect(of('holds')).toContain('+7.0 (+2.0 to +12.0)');
});

test('the trade-off marks the chosen budget and shades what cannot be promised', () => {
  const chosen = { budget: 0.05, found: 0.79, f1: 0.71 };
  const steps = [{ budget: 0.02, found: 0.6, f1: 0.6 }, chosen, { budget: 0.1, found: 0.8, f1: 0.72 }];
  const svg = tradeOff({ steps, chosen, leastPromised: 0.01, positives: 'positives' });
  expect(svg).toContain('79% of positives found');
  expect(svg).toContain('F1 71.0');
  expect(svg).toContain('chosen: 5%');
  expect(svg).toMatch(/<rect x="0" y="0" width="10%"/);
});

test('the budget bar tells both numbers to a screen reader', () => {
  expect(budgetBar({ budget: 0.05, seen: 0.025 })).toContain('seen: 2.5% against the budget of 5%');
});

test('names in the trade-off cover neither each other nor what is chosen, also in a flat chart', () => {
  const chosen = { budget: 0.05, found: 0.84, f1: 0.83 };
  const steps = [{ budget: 0.02, found: 0.8, f1: 0.8 }, chosen, { budget: 0.1, found: 0.86, f1: 0.85 }];
  const svg = tradeOff({ steps, chosen, positives: 'positives', height: 96 });
  const heights = ['chosen: 5%', '84% of positives found', 'F1 83.0, mean over classes'].map((words) =>
    Number(new RegExp(`y="([\\d.]+)"[^>]*>${words}<`).exec(svg)?.[1]),
  );
  const [top = 0, middle = 0, bottom = 0] = heights.toSorted((a, b) => a - b);
  expect(middle - top).toBeGreaterThanOrEqual(14);
  expect(bottom - middle).toBeGreaterThanOrEqual(14);
});

test('ticks of half percents are written as such', () => {
  const steps = [
    { budget: 0.02, found: 0.94, f1: 0.9 },
    { budget: 0.1, found: 0.97, f1: 0.95 },
  ];
  const svg = tradeOff({ steps, positives: 'positives' });
  const texts = [...svg.matchAll(/text-anchor="end">([\d.]+)</g)].map(([, text]) => Number(text));
  const gaps = texts.slice(1).map((value, i) => Number((value - texts[i]!).toFixed(3)));
  expect(new Set(gaps).size).toBe(1);
});

test('counts of a calibration are written where there is room, and nowhere else', () => {
  const bin = (meanProbability: number) => ({
    count: 89,
    positive: 89,
    meanProbability,
    low: 0.95,
    high: 1,
  });
  const written = (places: readonly number[]) =>
    calibrationChart('presence', places.map(bin)).match(/>89 of 89</g)?.length ?? 0;
  expect(written([0.2, 0.8])).toBe(2);
  expect(written([0.5, 0.51, 0.52, 0.53, 0.54])).toBeLessThan(5);
});
