// Draws the intervals of points as error bars, or as a band behind the line.

import type { Line } from './line.js';
import { lookOf } from './lineLook.js';

interface PlotArea {
  readonly y: number;
  readonly height: number;
}

interface DrawingApi {
  value(dimension: number): number;
  coord(point: readonly number[]): [number, number];
}

/** Draws an error bar at each point that has ends. */
export function errorSeries({ name, points }: Line, index: number) {
  const data = points.flatMap(({ x, low, high }) =>
    low === undefined || high === undefined ? [] : [[x, low, high]],
  );
  if (data.length === 0) return [];
  const stroke = lookOf(index).color;
  const cap = 4;
  return [
    {
      type: 'custom',
      name,
      silent: true,
      z: 1,
      data,
      encode: { x: 0, y: [1, 2] },
      itemStyle: { color: stroke },
      renderItem: ({ coordSys: plot }: { readonly coordSys: PlotArea }, api: DrawingApi) => {
        const [x, low] = api.coord([api.value(0), api.value(1)]);
        const [, high] = api.coord([api.value(0), api.value(2)]);
        const [top, bottom] = [Math.max(high, plot.y), Math.min(low, plot.y + plot.height)];
        const line = (x1: number, y1: number, x2: number, y2: number) => ({
          type: 'line',
          shape: { x1, y1, x2, y2 },
          style: { stroke, lineWidth: 1.2 },
        });
        // A bar that extends beyond the plot has no cap on that side.
        const ends = [low, high].filter((end) => end >= top && end <= bottom);
        return {
          type: 'group',
          children: [line(x, bottom, x, top), ...ends.map((end) => line(x - cap, end, x + cap, end))],
        };
      },
    },
  ];
}

/** Joins the ends of all points into an area behind the line. */
export function bandSeries({ name, points }: Line, index: number) {
  const ends = points.flatMap(({ x, low, high }) =>
    low === undefined || high === undefined ? [] : [{ x, low, high }],
  );
  if (ends.length < 2) return [];
  const fill = lookOf(index).color;
  const outline = [
    ...ends.map(({ x, high }) => [x, high]),
    ...ends.toReversed().map(({ x, low }) => [x, low]),
  ];
  return [
    {
      type: 'custom',
      name,
      silent: true,
      z: 0,
      clip: true,
      // One item for the whole area. Its point lies in the area, because axes without a range include it.
      data: [[ends[0]!.x, ends[0]!.low]],
      itemStyle: { color: fill },
      renderItem: (_: unknown, api: DrawingApi) => ({
        type: 'polygon',
        shape: { points: outline.map((point) => api.coord(point)) },
        style: { fill, opacity: 0.16 },
      }),
    },
  ];
}
