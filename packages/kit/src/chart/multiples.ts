import { escaped } from '../escaped.js';
import { percentText } from '../numbers.js';
import { digits, plot, textWidth } from './plot.js';
import { seriesLook } from './series.js';
import { roundTicks } from './ticks.js';

/** One small chart: the values of each series, a value a seed. */
export interface Multiple {
  readonly title: string;
  readonly remark?: string;
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/**
 * Draws small charts on one axis for all: a dot is a seed, a bar their mean. Values are shares from 0 to 1.
 *
 * @example
 * multiples([{ title: 'crack', series: [{ name: 'bce', values: [0.41, 0.44] }] }], [0.3, 0.6]).length // 1
 */
export function multiples(list: readonly Multiple[], range: readonly [number, number]): string[] {
  const step = 26;
  return list.map(({ title, remark, series }) => {
    const height = step * series.length;
    const left = Math.min(110, Math.max(...series.map(({ name }) => textWidth(name)))) + 8;
    const chart = plot(
      {
        label: `${title}: ${series.map(({ name, values }) => `${name} ${percentText(mean(values))}`).join(', ')}`,
        height,
        x: {
          range,
          ticks: roundTicks(...range, 4, { text: (share) => percentText(share, 0) }),
          grid: true,
        },
        y: { range: [0, 1], ticks: [] },
        margins: { left, right: 8, top: 4 },
      },
      (at) =>
        series
          .map(({ name, values }, row) => {
            const y = digits(step * (row + 0.5));
            const { stroke } = seriesLook(row);
            const points = values.map(
              (value) =>
                `<circle cx="${at.x(value)}" cy="${y}" r="3.5" style="fill:${stroke}" fill-opacity=".45"/>`,
            );
            const average = at.x(mean(values));
            return `<text x="${-left}" y="${y + 4}">${escaped(name.length > 15 ? `${name.slice(0, 14)}…` : name)}</text>${points.join('')}<line x1="${average}" x2="${average}" y1="${y - 8}" y2="${y + 8}" style="stroke:${stroke}" stroke-width="2.5"/>`;
          })
          .join(''),
    );
    const small = remark === undefined ? '' : ` <small>${escaped(remark)}</small>`;
    return `<figure class="panel"><h3>${escaped(title)}${small}</h3>${chart}</figure>`;
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
