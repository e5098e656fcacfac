import { expect, test } from 'vitest';
import { principalPlane } from './principalPlane.js';

test('the plane has the directions of most variance, and says how much it keeps', () => {
  // Long along (1, 1, 0), less along (0, 0, 1), least along (1, -1, 0).
  const rows = Array.from({ length: 60 }, (_, i) => {
    const [a, b, c] = [Math.sin(i), 0.4 * Math.cos(3 * i), 0.05 * Math.sin(7 * i)];
    return [a + c, a - c, b];
  });
  const { x, y, share } = principalPlane(Float32Array.from(rows.flat()), 3);
  const correlation = (one: readonly number[], two: readonly number[]) => {
    const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
    const [m, n] = [mean(one), mean(two)];
    const product = (f: readonly number[], g: readonly number[]) =>
      f.reduce((sum, value, i) => sum + value * g[i]!, 0);
    const [u, v] = [one.map((value) => value - m), two.map((value) => value - n)];
    return product(u, v) / Math.sqrt(product(u, u) * product(v, v));
  };
  expect(
    Math.abs(
      correlation(
        [...x],
        rows.map(([a = 0, b = 0]) => a + b),
      ),
    ),
  ).toBeGreaterThan(0.999);
  expect(
    Math.abs(
      correlation(
        [...y],
        rows.map(([, , c = 0]) => c),
      ),
    ),
  ).toBeGreaterThan(0.99);
  expect(share).toBeGreaterThan(0.99);
  expect(share).toBeLessThan(1);
});

test('rows that are all the same, or none, have places too', () => {
  expect(principalPlane(Float32Array.of(1, 2, 1, 2), 2)).toMatchObject({
    x: Float64Array.of(0.5, 0.5),
    share: 1,
  });
  expect(principalPlane(new Float32Array(), 4).x).toHaveLength(0);
});
