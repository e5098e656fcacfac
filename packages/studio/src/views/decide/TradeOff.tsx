// What each budget buys, for one run or several. The rule is dragged as in the other chart.

import { percentText, roundRange, roundTicks } from '@anyclass/kit';
import { mostBudget } from './budgets.js';
import { Handle } from './Handle.js';
import type { CurvePoint } from './messages.js';
import { useWidth } from './width.js';

export const tradeOffMetrics = {
  f1: { name: 'F1', of: (point: CurvePoint) => point.macroF1 },
  recall: { name: 'positives found', of: (point: CurvePoint) => point.found },
  review: { name: 'left to review', of: (point: CurvePoint) => point.review },
} as const;
export type TradeOffMetric = keyof typeof tradeOffMetrics;

export interface TradeOffLine {
  readonly name: string;
  readonly points: readonly CurvePoint[];
  readonly isChosen: boolean;
}

export interface TradeOffProps {
  readonly lines: readonly TradeOffLine[];
  readonly metric: TradeOffMetric;
  readonly budget: number;
  /** The value at the handle, which is exact. */
  readonly value: number | undefined;
  readonly onBudget: (share: number) => void;
  readonly onStep: (steps: number) => void;
}

const [height, left, right, top, bottom] = [256, 34, 20, 20, 34];
const colors = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)'];
const dashes = ['', '6 3', '2 3', '8 3 2 3'];

export function TradeOff(props: TradeOffProps) {
  const [box, width] = useWidth<HTMLElement>();
  return <figure ref={box}>{width > 0 && <Drawn {...props} width={width} />}</figure>;
}

function Drawn({
  lines,
  metric,
  budget,
  value,
  onBudget,
  onStep,
  width,
}: TradeOffProps & { readonly width: number }) {
  const { of, name } = tradeOffMetrics[metric];
  const shown = lines.map((line) => ({
    ...line,
    points: line.points.filter(({ isPromisable }) => isPromisable).toSorted((a, b) => a.budget - b.budget),
  }));
  const values = shown.flatMap(({ points }) => points.map(of));
  const chosen = lines.find(({ isChosen }) => isChosen);
  const short = (chosen?.points ?? [])
    .filter(({ isPromisable }) => !isPromisable)
    .map(({ budget: at }) => at);
  const [low, high] = roundRange([...values, ...(value === undefined ? [] : [value])], {
    within: [0, 1],
    least: 0.1,
  });
  // By the root: small budgets are chosen more finely than large ones.
  const across = width - left - right;
  const end = Math.max(mostBudget, budget);
  const x = (share: number) => left + across * Math.sqrt(share / end);
  const budgetAt = (pixels: number) => end * (Math.max(0, pixels - left) / across) ** 2;
  const y = (share: number) => height - bottom - ((height - top - bottom) * (share - low)) / (high - low);
  const at = x(budget);
  const isRight = at > width * 0.6;
  const text = `${name} ${percentText(value ?? 0)}`;
  const textAt = besideLines(
    shown.flatMap(({ points }) => points.map((point) => [x(point.budget), y(of(point))] as const)),
    isRight ? [at - 11 - 8 * text.length, at] : [at, at + 11 + 8 * text.length],
    y(value ?? low),
  );
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="group"
      aria-label={`${name} by false-alarm budget`}
    >
      <text x={left - 8} y={12} text-anchor="end">
        %
      </text>
      {roundTicks(low, high, 5).map(({ at: tick }) => (
        <g key={tick}>
          <line class="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
          <text x={left - 8} y={y(tick) + 4} text-anchor="end">
            {Number((100 * tick).toFixed(1))}
          </text>
        </g>
      ))}
      {[0, 0.01, 0.05, 0.1, 0.2, 0.3].map((tick) => (
        <text key={tick} x={x(tick)} y={height - bottom + 16} text-anchor="middle">
          {percentText(tick, 0)}%
        </text>
      ))}
      <text x={width - right} y={height - 4} text-anchor="end">
        promised false-alarm budget
      </text>
      {short.length > 0 && (
        <g>
          <rect
            x={left}
            y={top}
            width={x(Math.max(...short)) - left}
            height={height - top - bottom}
            fill="var(--clear-soft)"
          />
          <title>With this many negatives nothing can be promised here</title>
        </g>
      )}
      {shown.map(({ name: run, points: drawn, isChosen }, i) => {
        if (drawn.length === 0) return null;
        return (
          <polyline
            key={run}
            fill="none"
            stroke={colors[i % colors.length]}
            stroke-dasharray={dashes[i % dashes.length]}
            stroke-width={isChosen ? 2 : 1.5}
            points={drawn
              .map((point) => `${x(point.budget).toFixed(1)},${y(of(point)).toFixed(1)}`)
              .join(' ')}
          />
        );
      })}
      {lines.length > 1 &&
        apart(shown.map(({ points }) => points.at(-1)).map((last) => last && y(of(last)) - 5)).map(
          (place, i) =>
            place !== undefined && (
              <text
                key={lines[i]!.name}
                class="halo"
                x={width - right}
                y={place}
                text-anchor="end"
                style={{ fill: colors[i % colors.length] }}
              >
                {lines[i]!.name}
              </text>
            ),
        )}
      <Handle
        label="False-alarm budget, on the curve"
        value={Number((100 * budget).toFixed(2))}
        most={100 * mostBudget}
        onDrag={(pixels) => onBudget(budgetAt(pixels))}
        onStep={onStep}
      >
        <line class="rule" x1={at} x2={at} y1={top - 4} y2={height - bottom} style={{ strokeWidth: 1.5 }} />
        <rect x={at - 14} y={0} width={28} height={height - bottom} fill="transparent" />
        {value !== undefined && (
          <>
            <circle class="grip" cx={at} cy={y(value)} r="6" />
            <text
              class="strong halo"
              x={isRight ? at - 11 : at + 11}
              y={textAt}
              text-anchor={isRight ? 'end' : 'start'}
            >
              {text}
            </text>
          </>
        )}
      </Handle>
    </svg>
  );
}

/** Where a text stands clear of the lines between two places: above or below them, whichever is nearer. */
function besideLines(
  points: readonly (readonly [x: number, y: number])[],
  [from, to]: readonly [number, number],
  own: number,
): number {
  const passed = [own, ...points.filter(([x]) => x >= from && x <= to).map(([, y]) => y)];
  const above = Math.min(...passed) - 9;
  const below = Math.max(...passed) + 18;
  const hasRoom = { above: above >= top + 8, below: below <= height - bottom - 4 };
  if (!hasRoom.below) return Math.max(top + 8, above);
  return hasRoom.above && own - above <= below - own ? above : below;
}

/** Places of labels, moved down where they would cover each other. */
function apart(places: readonly (number | undefined)[]): (number | undefined)[] {
  const lineHeight = 13;
  const moved = [...places];
  const order = places.flatMap((place, i) => (place === undefined ? [] : [{ place, i }]));
  let lowest = Number.NEGATIVE_INFINITY;
  for (const { place, i } of order.sort((a, b) => a.place - b.place)) {
    lowest = Math.max(place, lowest + lineHeight);
    moved[i] = lowest;
  }
  return moved;
}
