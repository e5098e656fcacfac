// The colors of all pages, for light and dark mode. An outcome has a hue, a lightness and a texture of its own, so that no
// pair rests on hue alone; series, for losses and runs, never use the colors of outcomes and differ in dashes too.

export interface Shade {
  readonly light: string;
  readonly dark: string;
}

/** What happens to an image: found, missed, a false alarm, to review, or cleared. */
export const outcomes = ['found', 'missed', 'false-alarm', 'review', 'clear'] as const;
export type Outcome = (typeof outcomes)[number];

/** By the names of their CSS variables. Of an outcome: `-ink` is for words, `-soft` for grounds, the plain name for areas. */
export const shades = {
  page: { light: '#ffffff', dark: '#0f1216' },
  sunk: { light: '#f6f7f9', dark: '#171b21' },
  rule: { light: '#e2e5ea', dark: '#2a303a' },
  'rule-strong': { light: '#c3c9d2', dark: '#464f5d' },
  ink: { light: '#16191f', dark: '#eceff3' },
  'ink-2': { light: '#4a525e', dark: '#b7bfca' },
  'ink-3': { light: '#626b78', dark: '#949eab' },
  accent: { light: '#1f55c4', dark: '#7fa8ff' },
  'accent-soft': { light: '#e9effb', dark: '#1a2540' },
  found: { light: '#14917f', dark: '#23a593' },
  'found-ink': { light: '#0a6b5f', dark: '#5fd0bf' },
  'found-soft': { light: '#e2f3f0', dark: '#12302c' },
  missed: { light: '#c9540a', dark: '#dd6b1f' },
  'missed-ink': { light: '#a84604', dark: '#f4a56b' },
  'missed-soft': { light: '#fdeee2', dark: '#3a2312' },
  'false-alarm': { light: '#7d1f6b', dark: '#e08ad0' },
  'false-alarm-ink': { light: '#7d1f6b', dark: '#e394cf' },
  'false-alarm-soft': { light: '#f8e8f4', dark: '#351a2f' },
  review: { light: '#f0b51a', dark: '#f7d35e' },
  'review-ink': { light: '#7a5700', dark: '#e8c15a' },
  'review-soft': { light: '#fdf4d8', dark: '#332a10' },
  clear: { light: '#b4bcc7', dark: '#4d5662' },
  'clear-ink': { light: '#56606d', dark: '#a9b3bf' },
  'clear-soft': { light: '#eff1f4', dark: '#20252c' },
  'series-1': { light: '#16191f', dark: '#eceff3' },
  'series-2': { light: '#1f55c4', dark: '#7fa8ff' },
  'series-3': { light: '#b8452f', dark: '#f0917d' },
  'series-4': { light: '#5d6875', dark: '#8f9bab' },
  'level-1': { light: '#f0f4fc', dark: '#171d29' },
  'level-2': { light: '#d3e0f7', dark: '#1c2b4b' },
  'level-3': { light: '#a6c0ee', dark: '#25407a' },
  'level-4': { light: '#6c93de', dark: '#3f66b8' },
  'level-5': { light: '#3a68c8', dark: '#6e97ec' },
  'level-6': { light: '#173f96', dark: '#b3cbff' },
} as const satisfies Readonly<Record<string, Shade>>;

export type Color = keyof typeof shades;

/** Steps of a scale from low to high, such as the cells of a matrix: darker in light mode, brighter in dark mode. */
export const levels = ['level-1', 'level-2', 'level-3', 'level-4', 'level-5', 'level-6'] as const;

/** The color of text on a level. */
export function inkOnLevel(level: (typeof levels)[number]): Color {
  return level === 'level-5' || level === 'level-6' ? 'page' : 'ink';
}

/** Returns a color for a style or an attribute; it follows the theme. */
export function color(name: Color): string {
  return `var(--${name})`;
}

/** The variables of both modes. Prints are light. */
export const colorStyle = `:root { color-scheme: light; ${variables('light')} }
@media screen { :root[data-theme=dark] { color-scheme: dark; ${variables('dark')} } }
@media screen and (prefers-color-scheme: dark) { :root:not([data-theme=light]) { color-scheme: dark; ${variables('dark')} } }`;

/** Replaces the variables with their light colors: for charts in files, since drawing programs do not know variables. */
export function fixedColors(text: string): string {
  return text.replaceAll(/var\(--([\w-]+)\)/g, (variable, name: string) => lightColors[name] ?? variable);
}

/** The light colors by name. */
export const lightColors: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(shades).map(([name, { light }]) => [name, light]),
);

function variables(mode: keyof Shade): string {
  return Object.entries(shades)
    .map(([name, shade]) => `--${name}: ${shade[mode]};`)
    .join(' ');
}
