// Traces contour lines by marching squares. The surfaces are smooth, so a grid four times as coarse as the
// pixels gives lines that the eye cannot distinguish from those of the full grid, at a sixteenth of the cost.

const stride = 4;

/** Values, row by row, over a square of `steps` points per side. */
export interface Grid {
  readonly values: Float32Array;
  readonly steps: number;
}

/** x, y, x, y, … in steps of the grid; a ring ends where it starts. */
export type Line = readonly number[];

export type ContourTracer = (values: Float32Array, levels: readonly number[]) => Line[][];

/**
 * Creates a function that finds the lines of each level in a grid of `steps` points per side. Levels must be
 * in ascending order. Memory is reused for every grid: garbage from each step of a slider would make the
 * steps uneven.
 *
 * @example
 * contourTracer(2)(Float32Array.of(0, 1, 0, 1), [0.25]) // [[[0.25, 0, 0.25, 1]]]
 */
export function contourTracer(steps: number): ContourTracer {
  const net = coarseNet(steps);
  const links = new Int32Array(4 * net.values.length).fill(none);
  return (values, levels) => {
    takeValues(net, values, steps);
    const cells = crossedCells(net, levels);
    return levels.map((level, n) => {
      for (const cell of cells[n]!) linkCell(net, cell, level, links);
      return traceLines(net, cells[n]!, level, links);
    });
  };
}

const none = -1;

/** The nodes of the coarse grid. The edge from node n to the right is 2n, the edge upward 2n + 1. */
interface Net {
  readonly side: number;
  readonly positions: readonly number[];
  readonly values: Float32Array;
  /** Number of levels that each value reaches. */
  readonly bands: Uint8Array;
  /** The edges of a cell, as offsets from twice its node. */
  readonly cellEdges: readonly number[];
}

function coarseNet(steps: number): Net {
  const positions: number[] = [];
  for (let at = 0; at < steps - 1; at += stride) positions.push(at);
  positions.push(steps - 1);
  const side = positions.length;
  return {
    side,
    positions,
    values: new Float32Array(side * side),
    bands: new Uint8Array(side * side),
    cellEdges: [0, 1, 3, 2 * side],
  };
}

function takeValues({ side, positions, values }: Net, fine: Float32Array, steps: number): void {
  for (let i = 0; i < side; i++) {
    for (let k = 0; k < side; k++) values[i * side + k] = fine[positions[i]! * steps + positions[k]!]!;
  }
}

/** Returns, for each level, the cells that it passes through, by their lower left nodes. */
function crossedCells(net: Net, levels: readonly number[]): number[][] {
  const { side, bands } = net;
  fillBands(net, levels);
  const cells = levels.map((): number[] => []);
  for (let i = 0; i < side - 1; i++) {
    for (let node = i * side; node < (i + 1) * side - 1; node++) {
      const [a, b] = [bands[node]!, bands[node + 1]!];
      const [c, d] = [bands[node + side]!, bands[node + side + 1]!];
      if (a === b && a === c && a === d) continue;
      const most = Math.max(a, b, c, d);
      for (let n = Math.min(a, b, c, d); n < most; n++) cells[n]!.push(node);
    }
  }
  return cells;
}

// Neighbors are similar, so the search for each node's band starts at that of the previous node.
function fillBands({ values, bands }: Net, levels: readonly number[]): void {
  let band = 0;
  for (let node = 0; node < values.length; node++) {
    const value = values[node]!;
    while (band < levels.length && levels[band]! <= value) band++;
    while (band > 0 && levels[band - 1]! > value) band--;
    bands[node] = band;
  }
}

// Around a cell, the level crosses two edges, or all four at a saddle, where the mean of the corners decides
// which belong together.
function linkCell({ side, values }: Net, node: number, level: number, links: Int32Array): void {
  const a = values[node]!;
  const b = values[node + 1]!;
  const c = values[node + side]!;
  const d = values[node + side + 1]!;
  const lower = 2 * node;
  const right = 2 * node + 3;
  const upper = 2 * (node + side);
  const left = 2 * node + 1;
  const crossesLower = a < level !== b < level;
  const crossesRight = b < level !== d < level;
  const crossesUpper = c < level !== d < level;
  const crossesLeft = a < level !== c < level;
  if (crossesLower && crossesRight && crossesUpper && crossesLeft) {
    const isCornerApart = a < level !== (a + b + c + d) / 4 < level;
    link(links, lower, isCornerApart ? left : right);
    link(links, upper, isCornerApart ? right : left);
  } else {
    const first = crossesLower ? lower : crossesRight ? right : upper;
    const last = crossesLeft ? left : crossesUpper ? upper : right;
    link(links, first, last);
  }
}

function link(links: Int32Array, one: number, other: number): void {
  links[2 * one + (links[2 * one] === none ? 0 : 1)] = other;
  links[2 * other + (links[2 * other] === none ? 0 : 1)] = one;
}

/** Follows the links from end to end, then the remaining ones, which are rings; clears all links. */
function traceLines(net: Net, cells: readonly number[], level: number, links: Int32Array): Line[] {
  const lines: Line[] = [];
  for (const wantsEnd of [true, false]) {
    for (const node of cells) {
      for (const offset of net.cellEdges) {
        const edge = 2 * node + offset;
        const isEnd = links[2 * edge + 1] === none;
        if (links[2 * edge] !== none && isEnd === wantsEnd) lines.push(traceFrom(net, edge, level, links));
      }
    }
  }
  return lines;
}

function traceFrom(net: Net, start: number, level: number, links: Int32Array): Line {
  const line: number[] = [];
  let before = none;
  let edge = start;
  while (edge !== none) {
    pushCrossing(net, edge, level, line);
    const [first, second] = [links[2 * edge]!, links[2 * edge + 1]!];
    links[2 * edge] = none;
    links[2 * edge + 1] = none;
    const next = first === before ? second : first;
    before = edge;
    edge = next;
    if (edge === start) {
      pushCrossing(net, start, level, line);
      break;
    }
  }
  return line;
}

function pushCrossing({ side, positions, values }: Net, edge: number, level: number, line: number[]): void {
  const node = edge >> 1;
  const [k, i] = [node % side, Math.floor(node / side)];
  const isUpward = edge % 2 === 1;
  const value = values[node]!;
  const share = (level - value) / (values[isUpward ? node + side : node + 1]! - value);
  const [x, y] = [positions[k]!, positions[i]!];
  if (isUpward) line.push(x, y + share * (positions[i + 1]! - y));
  else line.push(x + share * (positions[k + 1]! - x), y);
}
