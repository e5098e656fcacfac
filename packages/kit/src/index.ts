/**
 * The look of anyclass pages: a style sheet, a script, and functions that return HTML and SVG as text. They have no
 * dependencies, and run in Node and in a browser.
 *
 * @packageDocumentation
 */

export {
  type Card,
  type CardBar,
  gallery,
  heatScale,
  type Look,
  looks,
  type Picture,
  shot,
} from './blocks/cards.js';
export {
  type FoundCounts,
  foundBars,
  legend,
  type OutcomeCounts,
  type StripPart,
  type StripTone,
  strip,
  type TriageWork,
  triageBars,
} from './blocks/strips.js';
export {
  command,
  facts,
  folded,
  note,
  panel,
  type Tag,
  type VerdictOptions,
  verdict,
} from './blocks/words.js';
export { type Bar, bars, type Column, columns, type Stack, stacks } from './chart/bars.js';
export { type BudgetBarOptions, budgetBar } from './chart/budgetBar.js';
export { type CalibrationBin, calibrationChart } from './chart/calibration.js';
export { type Dot, dots } from './chart/dots.js';
export { type Dumbbell, dumbbells } from './chart/dumbbells.js';
export { type ForestGroup, type ForestRow, forest } from './chart/forest.js';
export { type Line, type LineChartOptions, type LinePoint, lineChart } from './chart/lineChart.js';
export { type MatrixCell, matrix } from './chart/matrix.js';
export { type ParallelAxis, type ParallelLine, parallel } from './chart/parallel.js';
export {
  type Axis,
  chartFile,
  type Margins,
  type Places,
  type PlotOptions,
  plot,
  textWidth,
} from './chart/plot.js';
export {
  type SweepChartOptions,
  type SweepChartPoint,
  type SweepLine,
  sweepChart,
} from './chart/sweepChart.js';
export { roundRange, roundTicks, type Tick } from './chart/ticks.js';
export { type TradeOffOptions, type TradeOffStep, tradeOff } from './chart/tradeOff.js';
export { type Color, color, levels, type Outcome, outcomes, type Shade, shades } from './colors.js';
export { breakable, escaped, unbroken, verbatim, visible } from './escaped.js';
export { classActivationUnit, heatColor, heatGradient, heatStops } from './heat.js';
export { countText, percentText, shortNumber, shortPercent, signedPoints } from './numbers.js';
export { kitScript } from './script.js';
export { kitStyle } from './style.js';
