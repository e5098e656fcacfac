// Lines as an SVG, drawn by ECharts without a browser.

import { LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([LineChart, GridComponent, LegendComponent, SVGRenderer]);

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number | null])[];
  readonly dashed?: boolean;
  readonly dots?: boolean;
}

export interface ChartOptions {
  readonly x: string;
  readonly y: string;
  /** Default: from the data. */
  readonly xRange?: readonly [number, number];
  readonly yRange?: readonly [number, number];
  readonly width?: number;
  readonly height?: number;
}

/**
 * A chart of lines over a common axis.
 *
 * @example
 * lineChart([{ name: 'loss', points: [[1, 0.7], [2, 0.5]] }], { x: 'epoch', y: 'loss' }) // '<svg …'
 */
export function lineChart(lines: readonly Line[], options: ChartOptions): string {
  const { x, y, xRange, yRange, width = 470, height = 320 } = options;
  const legendRows = Math.ceil(lines.length / 4);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: height + 20 * legendRows });
  try {
    chart.setOption({
      animation: false,
      textStyle: { fontFamily: 'system-ui, sans-serif' },
      // Without a browser ECharts guesses the width of text too low: margins are our own.
      grid: { outerBoundsMode: 'none', left: 56, right: 20, top: 20 + 20 * legendRows, bottom: 44 },
      legend: { top: 0, left: 0, itemGap: 14, data: lines.map(({ name }) => name) },
      xAxis: axis(x, 28, xRange),
      yAxis: { ...axis(y, 40, yRange), scale: yRange === undefined },
      series: lines.map(({ name, points, dashed = false, dots = false }) => ({
        type: 'line',
        name,
        data: points.map((point) => [...point]),
        showSymbol: dots,
        symbolSize: 5,
        lineStyle: { width: 1.8, type: dashed ? 'dashed' : 'solid' },
      })),
    });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

function axis(name: string, nameGap: number, range: readonly [number, number] | undefined) {
  return {
    type: 'value',
    name,
    nameLocation: 'middle',
    nameGap,
    ...(range && { min: range[0], max: range[1] }),
  };
}
