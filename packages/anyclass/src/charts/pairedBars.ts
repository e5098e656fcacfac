import { paleColor, seriesColors } from './palette.js';
import { axis, labelWidth, legend, light, ownMargins, renderChart } from './render.js';

export interface BarPair {
  readonly name: string;
  /** A share from 0 to 1; null omits the bar. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface PairedBarsOptions {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly x: string;
}

/**
 * Draws two bars for each row, from the top: a pale one and a dark one, which also differ in print.
 *
 * @example
 * pairedBars([{ name: 'crack', before: 0.31, after: 0.42 }], { title: 'F1', before: 'bce', after: 'any-bce', x: '%' })
 */
export function pairedBars(pairs: readonly BarPair[], options: PairedBarsOptions): string {
  const { title, x } = options;
  const width = 520;
  const names = pairs.map(({ name }) => name);
  const sides = ['before', 'after'] as const;
  const fills = { before: paleColor.light, after: seriesColors[0]!.light } as const;
  const share = (value: number | null) => (value === null ? null : 100 * value);
  return renderChart(
    title,
    { width, height: 86 + 30 * pairs.length },
    {
      grid: { ...ownMargins, left: labelWidth(names), right: 24, top: 34, bottom: 46 },
      legend: legend([options.before, options.after], width).option,
      xAxis: { ...axis(x, 28), type: 'value', min: 0 },
      yAxis: {
        ...axis('', 0),
        type: 'category',
        inverse: true,
        data: names,
        axisTick: { show: false },
        axisLabel: { color: light.ink, interval: 0 },
        splitLine: { show: false },
      },
      series: sides.map((side) => ({
        type: 'bar',
        name: options[side],
        barWidth: 9,
        barGap: '10%',
        itemStyle: { color: fills[side], borderColor: light.faint, borderWidth: 0.5 },
        data: pairs.map((pair) => share(pair[side])),
      })),
    },
    (series, row) => {
      const side = sides[series]!;
      const value = share(pairs[row]![side]);
      return value === null ? undefined : `${names[row]}, ${options[side]}: ${value.toFixed(2)}`;
    },
  );
}
