export { nearestToGate, poolFactor } from './nearestToGate.js';
export { spreadRows } from './spreadRows.js';
