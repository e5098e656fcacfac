import { describe, expect, test } from 'vitest';
import type { Line } from './line.js';
import { lineChart } from './lineChart.js';
import { lookOf } from './lineLook.js';
import { themed } from './palette.js';

describe('lines', () => {
  const looks = Array.from({ length: 36 }, (_, i) => lookOf(i));

  test.each([
    ['marker', 'dash'],
    ['color', 'marker'],
  ] as const)('differ in %s or %s, up to 36 of them', (one, other) => {
    expect(new Set(looks.map((look) => `${look[one]} ${look[other]}`)).size).toBe(36);
  });

  test('have hollow markers in the color of the background, also in dark mode', () => {
    const lines = Array.from({ length: 6 }, (_, i) => ({ name: String(i), points: [{ x: 1, y: i }] }));
    const svg = themed(lineChart(lines, { title: 'Six', x: 'epoch', y: 'loss' }));
    expect(svg).toContain('fill="var(--ground, #ffffff)" stroke="var(--series-4,');
    expect(svg).not.toContain('"#fff"');
  });

  test('are dashed in the legend as in the plot', () => {
    const points = [
      { x: 1, y: 1 },
      { x: 2, y: 2 },
    ];
    const svg = lineChart(
      ['a', 'b'].map((name) => ({ name, points })),
      { title: 'Two', x: 'epoch', y: 'loss' },
    );
    const dashed = svg.match(/<path[^>]*stroke-dasharray="7,4"[^>]*>/g) ?? [];
    expect(dashed).toHaveLength(2);
    expect(dashed.some((path) => path.includes('d="M0 5L44 5"'))).toBe(true);
  });
});

describe('a percent axis', () => {
  const ticks = (...values: (number | null)[]) => {
    const lines: Line[] = [{ name: 'F1', points: values.map((y, x) => ({ x, y })) }];
    const svg = lineChart(lines, { title: 'F1', x: 'epoch', y: '%', xTicks: [], yIsPercent: true });
    return [...svg.matchAll(/>(-?[\d.]+)<\/text>/g)].map((match) => Number(match[1]));
  };

  test.each([
    [[72.34, 72.34], 71.8, 73],
    [[0, 0], 0, 0.6],
    [[100, 100], 99.4, 100],
    [[3, 97], 0, 100],
    [[14.2, 17.6], 14, 18],
    [[null], 0, 100],
  ])('for %j has bounds near the values and between 0 and 100', (values, low, high) => {
    const shown = ticks(...values);
    expect([Math.min(...shown), Math.max(...shown)]).toEqual([low, high]);
  });

  test('ends at 100 even if an error bar extends past it', () => {
    const points = [{ x: 1, y: 99, low: 96, high: 102 }];
    const svg = lineChart([{ name: 'F1', points }], { title: 'F1', x: 'epoch', y: '%', yIsPercent: true });
    expect(svg).toContain('>100<');
    expect(svg).not.toContain('>101<');
    expect(svg).not.toContain('>102<');
    const top = Number(svg.match(/translate\([\d.]+ ([\d.]+)\)"[^>]*>100</)?.[1]);
    const bars = [...svg.matchAll(/d="M([\d.]+) ([\d.]+)L\1 ([\d.]+)"[^>]*stroke="#0072b2"/g)];
    expect(bars.map((match) => Number(match[3]))).toEqual([top]);
  });
});
