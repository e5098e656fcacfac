// Renders charts to SVG with ECharts, without a browser, in the light colors of the palette.

import { BarChart, CustomChart, HeatmapChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, VisualMapComponent } from 'echarts/components';
import { type EChartsCoreOption, format, init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { escaped } from '../tables/escaped.js';
import { pageColors, seriesColors } from './palette.js';

use([
  LineChart,
  BarChart,
  HeatmapChart,
  CustomChart,
  GridComponent,
  LegendComponent,
  VisualMapComponent,
  SVGRenderer,
]);

// Without a browser, ECharts guesses the width of text, too low for wider system fonts, so that names would
// overlap.
setPlatformAPI({
  measureText: (text, font = '') => {
    const size = Number(/([\d.]+)px/.exec(font)?.[1] ?? 12);
    const wide = text.match(/[\u1100-\uffff]/g)?.length ?? 0;
    return { width: size * (0.6 * (text.length - wide) + wide) };
  },
});

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

/** Returns the text that a mark shows under the pointer; `data` is its index in the series. */
export type MarkLabel = (series: number, data: number) => string | undefined;

/** Renders an SVG element with a title for screen readers; marks with a label have it as `data-label`. */
export function renderChart(
  title: string,
  size: ChartSize,
  option: EChartsCoreOption,
  labelOf: MarkLabel = () => undefined,
): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    chart.setOption({
      animation: false,
      // So that a saved chart is readable on any background.
      backgroundColor: light.ground,
      color: seriesColors.map(({ light }) => light),
      textStyle: { fontFamily: 'system-ui, sans-serif', color: light.ink },
      ...option,
    });
    return tidied(chart.renderToSVGString(), title, labelOf);
  } finally {
    chart.dispose();
  }
}

/** The light colors of the page, by name. */
export const light = {
  ground: pageColors.ground.light,
  ink: pageColors.ink.light,
  faint: pageColors.faint.light,
  edge: pageColors.edge.light,
} as const;

/** Returns an axis in the page's colors. */
export function axis(name: string, nameGap: number) {
  return {
    name,
    nameLocation: 'middle',
    nameGap,
    nameTextStyle: { color: light.faint },
    axisLabel: { color: light.faint },
    axisLine: { show: true, onZero: false, lineStyle: { color: light.faint } },
    axisTick: { show: true, lineStyle: { color: light.faint } },
    splitLine: { lineStyle: { color: light.edge } },
  };
}

/** Returns a legend at the top, and its height. `symbol` is the width of the symbol before a name. */
export function legend(names: readonly string[], width: number, symbol = 16) {
  const textGap = 5;
  const padding = 5;
  const gap = 18;
  const rowHeight = 14;
  let rows = 1;
  let used = 0;
  for (const name of names) {
    // Measured by ECharts itself, so that rows break where it breaks them.
    const needed = symbol + textGap + format.getTextRect(name).width;
    if (used > 0 && used + needed > width - 2 * padding) {
      rows++;
      used = 0;
    }
    used += needed + gap;
  }
  return {
    height: 2 * padding + rows * rowHeight + (rows - 1) * gap,
    option: {
      top: 0,
      left: 0,
      itemGap: gap,
      itemWidth: symbol,
      padding,
      textStyle: { color: light.ink },
      inactiveColor: light.faint,
      data: [...names],
    },
  };
}

/**
 * Disables ECharts' margins: without a browser, it underestimates the width of text and would cut off long
 * names.
 */
export const ownMargins = { outerBoundsMode: 'none' } as const;

/** Returns the space for names next to an axis. */
export function labelWidth(names: readonly string[]): number {
  return 20 + 7 * Math.max(0, ...names.map((name) => Math.min(40, name.length)));
}

// Removes style rules meant for ECharts' own script, which is not in the page: marks would change color under
// the pointer. Adds labels and a title.
function tidied(svg: string, title: string, labelOf: MarkLabel): string {
  return (
    svg
      .replaceAll(/<style[\s\S]*?<\/style>/g, '')
      .replaceAll(/ class="zr[^"]*"/g, '')
      // Hollow markers show the background, which is not always white.
      .replaceAll('fill="#fff"', `fill="${light.ground}"`)
      .replaceAll(
        / ecmeta_series_index="(\d+)"(?: ecmeta_data_index="(\d+)")?( ecmeta_ssr_type="\w+")?/g,
        (_, series: string, data: string | undefined, kind: string | undefined) => {
          const isMark = data !== undefined && kind?.includes('chart');
          const label = isMark ? labelOf(Number(series), Number(data)) : undefined;
          return label === undefined ? '' : ` data-label="${escaped(label)}"`;
        },
      )
      .replace(/<svg([^>]*)>/, (_, attributes: string) => {
        const name = escaped(title);
        return `<svg${attributes} role="img" aria-label="${name}"><title>${name}</title>`;
      })
  );
}
