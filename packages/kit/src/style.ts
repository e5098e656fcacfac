import { colorStyle } from './colors.js';
import { chartStyle } from './style/chart.js';
import { groundStyle } from './style/ground.js';
import { partStyle } from './style/parts.js';

/** The style sheet of every page: type, spacing, color with meaning, tables, charts, pictures; light, dark, phone, print. */
export const kitStyle: string = `${colorStyle}${groundStyle}${partStyle}${chartStyle}`;
