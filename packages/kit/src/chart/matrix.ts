import { color, inkOnLevel, levels } from '../colors.js';
import { escaped } from '../escaped.js';
import { digits, plot, textWidth } from './plot.js';

export interface MatrixCell {
  /** From 0 to 1: how dark the cell is. Null leaves it empty. */
  readonly share: number | null;
  readonly text: string;
  /** What a pointer over it shows. */
  readonly label: string;
}

/**
 * Draws a matrix of cells, such as which classes occur together. Columns have the names of rows where all are short,
 * or else their numbers, so that they stay upright.
 *
 * @example
 * matrix('Together', ['cat', 'dog'], [[{ share: 1, text: '100', label: '' }]])
 */
export function matrix(
  label: string,
  names: readonly string[],
  cells: readonly (readonly MatrixCell[])[],
): string {
  const step = 24;
  const count = names.length;
  const areShort = names.every((name) => textWidth(name) <= 24);
  const numbered = areShort
    ? names
    : names.map((name, i) => `${i + 1} ${name.length > 22 ? `${name.slice(0, 20)}…` : name}`);
  const left = Math.max(areShort ? 0 : 40, ...numbered.map(textWidth)) + 10;
  return plot(
    {
      label,
      height: step * count,
      x: { range: [0, count], ticks: [] },
      y: { range: [0, count], ticks: [] },
      margins: { left, right: 4, top: 20, bottom: 4 },
      minWidth: 26 * count,
    },
    (at) => {
      const heads = names.map(
        (name, i) =>
          `<text x="${at.x(i + 0.5)}" y="-7" text-anchor="middle" data-label="${escaped(name)}">${areShort ? escaped(name) : i + 1}</text>`,
      );
      const rows = cells.map((row, i) => {
        const y = digits(step * i);
        const drawn = row.map(({ share, text, label: told }, j) => {
          if (share === null) return '';
          const level = levels[Math.min(levels.length - 1, Math.floor(share * levels.length))]!;
          return `<rect x="${at.x(j)}" y="${y}" width="${at.x(1)}" height="${step}" style="fill:${color(level)};stroke:${color('page')}" data-label="${escaped(told)}"/><text x="${at.x(j + 0.5)}" y="${y + 16}" text-anchor="middle" pointer-events="none" style="fill:${color(inkOnLevel(level))}">${escaped(text)}</text>`;
        });
        return `<text x="${-left}" y="${y + 16}">${escaped(numbered[i]!)}</text>${drawn.join('')}`;
      });
      return heads.join('') + rows.join('');
    },
  );
}
