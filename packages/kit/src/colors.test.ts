import { expect, test } from 'vitest';
import {
  type Color,
  colorStyle,
  fixedColors,
  inkOnLevel,
  levels,
  outcomes,
  type Shade,
  shades,
} from './colors.js';

const modes = ['light', 'dark'] as const satisfies readonly (keyof Shade)[];
const series = ['series-1', 'series-2', 'series-3', 'series-4'] as const;

test.each(modes)(
  'in %s mode, text has a contrast of 4.5 on every ground, and marks one of 3 (WCAG 2.2)',
  (mode) => {
    const of = (one: Color, other: Color) =>
      contrast(luminance(shades[one][mode]), luminance(shades[other][mode]));
    for (const ground of ['page', 'sunk'] as const) {
      for (const text of ['ink', 'ink-2', 'ink-3', 'accent'] as const)
        expect(of(text, ground)).toBeGreaterThan(4.5);
      for (const name of outcomes) expect(of(`${name}-ink`, ground)).toBeGreaterThan(4.5);
    }
    for (const name of outcomes) expect(of(`${name}-ink`, `${name}-soft`)).toBeGreaterThan(4.5);
    for (const name of [...series, 'found', 'missed', 'false-alarm'] as const)
      expect(of(name, 'page')).toBeGreaterThan(3);
    for (const level of levels) expect(of(inkOnLevel(level), level)).toBeGreaterThan(4.5);
  },
);

// Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
// 2009, severity 1, on linear RGB.
const vision = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;

test.each(['normal', 'protanopia', 'deuteranopia', 'tritanopia'] as const)(
  'with %s vision, any two outcomes and any two series differ by more than 10 in CIELAB',
  (kind) => {
    for (const mode of modes) {
      for (const names of [outcomes, series]) {
        const seen = names.map((name) => lab(times(vision[kind], linear(shades[name][mode]))));
        seen.forEach((one, i) => {
          for (const other of seen.slice(i + 1)) {
            expect(Math.hypot(...one.map((value, k) => value - other[k]!))).toBeGreaterThan(10);
          }
        });
      }
    }
  },
);

test('both modes have every variable, and a chart in a file has the light ones', () => {
  for (const [name, { light, dark }] of Object.entries(shades)) {
    expect(colorStyle).toContain(`--${name}: ${light};`);
    expect(colorStyle).toContain(`--${name}: ${dark};`);
  }
  expect(fixedColors('stroke:var(--found)')).toBe('stroke:#14917f');
});

function linear(color: string): number[] {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

function luminance(color: string): number {
  const [red, green, blue] = linear(color);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function times(matrix: readonly number[], color: readonly number[]): number[] {
  return [0, 3, 6].map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        color.reduce((sum, value, k) => sum + matrix[row + k]! * value, 0),
      ),
    ),
  );
}

function lab(color: readonly number[]): number[] {
  const xyz = times([0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505], color);
  const [x, y, z] = xyz.map((value, k) => {
    const share = value / [0.9505, 1, 1.089][k]!;
    return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116;
  });
  return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)];
}
