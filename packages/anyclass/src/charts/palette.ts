// The colors of all pages and charts, each for light and dark mode. The series start with blue, vermilion
// and bluish green from Okabe and Ito's palette for color-blind readers ("Color Universal Design", 2002),
// lightened in dark mode; the others are darkened until they stand out from white. Lines also differ in
// dashes and markers, so they can be told apart without color.

export interface Shade {
  readonly light: string;
  readonly dark: string;
}

export const pageColors = {
  ground: { light: '#ffffff', dark: '#12161c' },
  panel: { light: '#f5f7fa', dark: '#1b212a' },
  ink: { light: '#1c2430', dark: '#e4e9f0' },
  faint: { light: '#5a6675', dark: '#9aa7b8' },
  edge: { light: '#d5dce5', dark: '#323c49' },
  accent: { light: '#1f6fb2', dark: '#6cb4f0' },
  warning: { light: '#c0392b', dark: '#ef8275' },
  fine: { light: '#4e8a35', dark: '#8ccf70' },
} as const satisfies Readonly<Record<string, Shade>>;

export const seriesColors: readonly Shade[] = [
  { light: '#0072b2', dark: '#56b4e9' },
  { light: '#d55e00', dark: '#e8743b' },
  { light: '#009e73', dark: '#1fb487' },
  { light: '#c2619b', dark: '#e39cc6' },
  { light: '#5b4a00', dark: '#f0e442' },
  { light: '#101820', dark: '#e8edf3' },
];

/** The pale bars of a pair; they differ from the others in brightness too, so that a print shows it. */
export const paleColor: Shade = { light: '#b9cbdd', dark: '#4a6178' };

/** Colors of a heat map, from low to high: darker in light mode, brighter in dark mode. */
export const heatColors: readonly Shade[] = [
  { light: '#f2f7fc', dark: '#1a2430' },
  { light: '#d3e4f3', dark: '#1d3a56' },
  { light: '#a5cae3', dark: '#21557f' },
  { light: '#6bacd5', dark: '#2b6f9e' },
  { light: '#2f7fba', dark: '#5aa6d6' },
  { light: '#08407f', dark: '#a8d8f8' },
];

/** Text colors on the first four colors of a heat map, and on the last two. */
export const heatInk: readonly Shade[] = [
  { light: '#0b1420', dark: '#e6eef7' },
  { light: '#fefefe', dark: '#06101a' },
];

/** Returns the text color that is readable on a step of a heat map. */
export function heatInkOn(step: number): Shade {
  return heatInk[step < 4 ? 0 : 1]!;
}

/** All shades by the names of their CSS variables. */
export const namedShades: ReadonlyMap<string, Shade> = new Map<string, Shade>([
  ...Object.entries(pageColors),
  ...seriesColors.map((shade, i): [string, Shade] => [`series-${i}`, shade]),
  ['pale', paleColor],
  ...heatColors.map((shade, i): [string, Shade] => [`heat-${i}`, shade]),
  ...heatInk.map((shade, i): [string, Shade] => [`heat-ink-${i}`, shade]),
]);

/** Replaces the light colors of a chart with CSS variables, so that it follows the theme of the page. */
export function themed(svg: string): string {
  return svg.replaceAll(/#[0-9a-f]{6}\b/g, (color) => {
    const name = nameOfLight.get(color);
    return name === undefined ? color : `var(--${name}, ${color})`;
  });
}

/** Returns the CSS variables of both modes. */
export function paletteStyle(): string {
  const variables = (mode: keyof Shade) =>
    Array.from(namedShades, ([name, shade]) => `--${name}: ${shade[mode]};`).join(' ');
  return `:root { color-scheme: light; ${variables('light')} }
@media screen { :root[data-theme=dark] { color-scheme: dark; ${variables('dark')} } }
@media screen and (prefers-color-scheme: dark) { :root:not([data-theme=light]) { color-scheme: dark; ${variables('dark')} } }`;
}

const nameOfLight = new Map(Array.from(namedShades, ([name, { light }]) => [light, name]));
