// Exports plots as SVG for papers and slides: colors as an embedded image, everything else as lines and text,
// dark on white.

import { placeLabels } from './contourLabels.js';
import type { Grid, Line } from './contours.js';
import type { Scale } from './levels.js';
import type { Palette } from './palettes.js';

/** The content of the picture of a plot. */
export interface PlotPicture {
  readonly title: string;
  readonly grid: Grid;
  readonly scale: Scale;
  readonly palette: Palette;
  readonly levels: readonly number[];
  /** The contour lines of each level. */
  readonly lines: readonly (readonly Line[])[];
  /** A PNG of the colors as a data URL, with its first row at the bottom of the plot. */
  readonly heat: string;
  /** Position as shares of the side, from the lower left. */
  readonly crosshair: readonly [number, number];
  /** The arrow's path around the crosshair on a plot of `pictureSide`. */
  readonly arrow: string;
  /** Text below the plot, for example '0.292 at p1 0.7, p2 0.4'. */
  readonly reading: string;
  /** The numbers along both axes and their positions, as shares of the side. */
  readonly ticks: readonly (readonly [text: string, share: number])[];
}

/** Side of a plot, in the units of the picture. */
export const pictureSide = 200;

const margin = { left: 34, top: 22, right: 10, bottom: 46 } as const;
const cell = {
  width: margin.left + pictureSide + margin.right,
  height: margin.top + pictureSide + margin.bottom,
} as const;
const captionHeight = 22;

/**
 * Returns an SVG document with rows of plots and a caption above them.
 *
 * @example
 * svgDocument([[picture]], 'y = (1, 0), λ = 0.02') // '<svg xmlns="http://www.w3.org/2000/svg" width="244" height="290" …'
 */
export function svgDocument(rows: readonly (readonly PlotPicture[])[], caption: string): string {
  const width = cell.width * Math.max(...rows.map(({ length }) => length));
  const height = captionHeight + cell.height * rows.length;
  const plots = rows.flatMap((row, i) =>
    row.map(
      (picture, k) =>
        `<g transform="translate(${margin.left + k * cell.width} ${captionHeight + margin.top + i * cell.height})">${plotGroup(picture)}</g>`,
    ),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="10">
<title>${escaped(caption)}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${margin.left}" y="15" font-size="11" fill="#555">${escaped(caption)}</text>
${plots.join('\n')}
</svg>
`;
}

function plotGroup(picture: PlotPicture): string {
  const { title, heat, reading } = picture;
  return [
    `<text y="-7" font-size="12" font-weight="600">${escaped(title)}</text>`,
    `<image href="${heat}" width="${pictureSide}" height="${pictureSide}" transform="matrix(1 0 0 -1 0 ${pictureSide})" preserveAspectRatio="none"/>`,
    ...contours(picture),
    ...crosshair(picture),
    ...axes(picture),
    `<text y="${pictureSide + 34}" fill="#555">${escaped(reading)}</text>`,
  ].join('\n');
}

function contours({ grid, scale, palette, levels, lines }: PlotPicture): string[] {
  const unit = pictureSide / (grid.steps - 1);
  const place = (x: number, y: number) => `${short(x * unit)} ${short(pictureSide - y * unit)}`;
  const paths = lines.flatMap((ofLevel, n) => {
    const shape = ofLevel.map((line) => pathOf(line, place)).join('');
    const ink = palette.ink(scale.share(levels[n]!));
    return shape === '' ? [] : [`<path d="${shape}" fill="none" stroke="${ink}" stroke-width="0.8"/>`];
  });
  const numbers = placeLabels(grid, lines).map(({ level, x, y }) => {
    const text = String(levels[level]!);
    const share = scale.share(levels[level]!);
    const half = text.length * 2.8 + 2;
    const [left, top] = [x * unit, pictureSide - y * unit];
    return `<rect x="${short(left - half)}" y="${short(top - 6)}" width="${short(2 * half)}" height="12" fill="${palette.color(share)}"/><text x="${short(left)}" y="${short(top + 3.5)}" text-anchor="middle" fill="${palette.ink(share)}">${text}</text>`;
  });
  return [...paths, ...numbers];
}

function pathOf(line: Line, place: (x: number, y: number) => string): string {
  const points: string[] = [];
  for (let at = 0; at < line.length; at += 2) points.push(place(line[at]!, line[at + 1]!));
  return points.length === 0 ? '' : `M${points.join('L')}`;
}

function crosshair({ crosshair: [across, up], arrow }: PlotPicture): string[] {
  const [x, y] = [short(across * pictureSide), short((1 - up) * pictureSide)];
  const cross = `M${x} 0V${pictureSide}M0 ${y}H${pictureSide}`;
  return [
    `<path d="${cross}" stroke="#000" stroke-width="2" opacity="0.35"/><path d="${cross}" stroke="#fff" stroke-width="0.8"/>`,
    `<g transform="translate(${x} ${y})" fill="#fff" stroke="#000" stroke-linejoin="round">${arrow === '' ? '' : `<path d="${arrow}"/>`}<circle r="3"/></g>`,
  ];
}

function axes({ ticks }: PlotPicture): string[] {
  return [
    ...ticks.flatMap(([text, share]) => [
      `<text x="${short(share * pictureSide)}" y="${pictureSide + 13}" text-anchor="middle">${text}</text>`,
      `<text x="-5" y="${short((1 - share) * pictureSide + 3.5)}" text-anchor="end">${text}</text>`,
    ]),
    `<text x="${pictureSide}" y="${pictureSide + 13}" text-anchor="end" font-style="italic">p₁</text>`,
    `<text x="-5" y="9" text-anchor="end" font-style="italic">p₂</text>`,
  ];
}

/** Rounds to a hundredth of a unit, which is finer than any print. */
function short(value: number): number {
  return Math.round(100 * value) / 100;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
