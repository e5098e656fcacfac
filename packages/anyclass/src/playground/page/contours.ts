// Lines of equal value by marching squares. The surfaces are smooth, so a grid four times as coarse as the pixels
// gives lines that the eye cannot tell from those of the full one, at a sixteenth of the cost.

const stride = 4;

/** Values row by row over a square of `steps` points a side. */
export interface Grid {
  readonly values: Float32Array;
  readonly steps: number;
}

/** x, y, x, y, … in steps of the grid; a ring ends where it began. */
export type Line = readonly number[];

/**
 * The lines of each level. Levels rise.
 *
 * @example
 * contourLines({ values: Float32Array.of(0, 1, 0, 1), steps: 2 }, [0.25]) // [[[0.25, 0, 0.25, 1]]]
 */
export function contourLines(grid: Grid, levels: readonly number[]): Line[][] {
  const net = coarseNet(grid);
  const cells = crossedCells(net, levels);
  const links = new Int32Array(4 * net.side ** 2).fill(none);
  return levels.map((level, n) => {
    for (const cell of cells[n]!) linkCell(net, cell, level, links);
    return traceLines(net, cells[n]!, level, links);
  });
}

const none = -1;

/** Nodes of the coarse grid. Node n's edge to its right is 2n, that upwards 2n + 1. */
interface Net {
  readonly side: number;
  readonly positions: readonly number[];
  readonly values: Float32Array;
}

function coarseNet({ values, steps }: Grid): Net {
  const positions: number[] = [];
  for (let at = 0; at < steps - 1; at += stride) positions.push(at);
  positions.push(steps - 1);
  const side = positions.length;
  const coarse = new Float32Array(side * side);
  for (let i = 0; i < side; i++) {
    for (let k = 0; k < side; k++) coarse[i * side + k] = values[positions[i]! * steps + positions[k]!]!;
  }
  return { side, positions, values: coarse };
}

/** For each level the cells that it passes through, by their lower left nodes. */
function crossedCells({ side, values }: Net, levels: readonly number[]): number[][] {
  const cells = levels.map((): number[] => []);
  for (let node = 0; node < side * (side - 1); node++) {
    if (node % side === side - 1) continue;
    const [a, b] = [values[node]!, values[node + 1]!];
    const [c, d] = [values[node + side]!, values[node + side + 1]!];
    const least = Math.min(a, b, c, d);
    const most = Math.max(a, b, c, d);
    for (let n = 0; n < levels.length && levels[n]! <= most; n++)
      if (levels[n]! > least) cells[n]!.push(node);
  }
  return cells;
}

// Going round the cell, the edges that the level crosses; four of them at a saddle, where the mean of the corners
// decides which pairs belong together.
function linkCell({ side, values }: Net, node: number, level: number, links: Int32Array): void {
  const [a, b] = [values[node]!, values[node + 1]!];
  const [c, d] = [values[node + side]!, values[node + side + 1]!];
  const [lower, right, upper, left] = [2 * node, 2 * node + 3, 2 * (node + side), 2 * node + 1];
  const edges: number[] = [];
  if (a < level !== b < level) edges.push(lower);
  if (b < level !== d < level) edges.push(right);
  if (c < level !== d < level) edges.push(upper);
  if (a < level !== c < level) edges.push(left);
  if (edges.length === 4 && a < level !== (a + b + c + d) / 4 < level) edges.push(edges.shift()!);
  for (let n = 0; n < edges.length; n += 2) {
    link(links, edges[n]!, edges[n + 1]!);
    link(links, edges[n + 1]!, edges[n]!);
  }
}

function link(links: Int32Array, from: number, to: number): void {
  links[2 * from + (links[2 * from] === none ? 0 : 1)] = to;
}

/** Follows the links from end to end, then what is left, the rings; leaves no link behind. */
function traceLines(net: Net, cells: readonly number[], level: number, links: Int32Array): Line[] {
  const lines: Line[] = [];
  for (const wantsEnd of [true, false]) {
    for (const node of cells) {
      for (const edge of [2 * node, 2 * node + 1, 2 * node + 3, 2 * (node + net.side)]) {
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
