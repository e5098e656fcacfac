// Presence of all rows, with a handle for each limit. Positives up, negatives down; the height is the root of the count.

import { useMemo } from 'preact/hooks';
import { Handle } from './Handle.js';
import { BINS, type Budget, type Judged, type LoadedRows } from './messages.js';
import { presenceTicks } from './presenceTicks.js';
import { useWidth } from './width.js';

const [height, middle, top, edge] = [256, 128, 24, 4];
const floor = height - 20;

export interface PresenceProps {
  readonly judged: Judged;
  readonly loaded: LoadedRows;
  readonly budget: Budget;
  /** Called with a logit of presence. */
  readonly onAlarmAt: (logit: number) => void;
  readonly onClearAt: (logit: number) => void;
  readonly onStep: (changes: { readonly alarm?: number; readonly missed?: number }) => void;
}

export function Presence(props: PresenceProps) {
  const [box, width] = useWidth<HTMLElement>();
  return <figure ref={box}>{width > 0 && <Drawn {...props} width={width} />}</figure>;
}

function Drawn({
  judged,
  loaded,
  budget,
  onAlarmAt,
  onClearAt,
  onStep,
  width,
}: PresenceProps & { readonly width: number }) {
  const { lowest, highest } = loaded;
  const across = width - 2 * edge;
  const x = (logit: number) =>
    edge + (across * (Math.max(lowest, Math.min(highest, logit)) - lowest)) / (highest - lowest);
  const logitAt = (pixels: number) => lowest + ((pixels - edge) / across) * (highest - lowest);
  const alarm = judged.alarmAt === null ? width - edge : x(judged.alarmAt);
  const hasReview = judged.clearAt !== null;
  const clear = judged.clearAt === null ? alarm : Math.min(alarm, x(judged.clearAt));
  const percent = (share: number) => Number((100 * share).toFixed(2));
  const savedAt = judged.savedAlarmAt === null ? null : x(judged.savedAlarmAt);
  const isMoved = savedAt !== null && Math.abs(savedAt - alarm) > 1;
  // The bars stay while the handle is ahead of them.
  const bars = useMemo(() => <Bars bins={judged.bins} across={across} />, [judged.bins, across]);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="group"
      aria-label="Presence, with handles for review and alarm"
    >
      <defs>
        <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" fill="var(--missed-soft)" />
          <rect width="2.4" height="5" fill="var(--missed)" />
        </pattern>
      </defs>
      <Zone from={edge} to={clear} name="clear" tone="clear" />
      {hasReview && <Zone from={clear} to={alarm} name="review" tone="review" />}
      <Zone from={alarm} to={width - edge} name="alarm" tone="found" />
      {bars}
      <line class="axis" x1={edge} x2={width - edge} y1={middle} y2={middle} />
      <text x={edge + 8} y={middle - 8} class="halo on-clear">
        positive ↑
      </text>
      <text x={edge + 8} y={floor - 9} class="halo on-clear">
        negative ↓
      </text>
      {presenceTicks(lowest, highest, x).map(({ share, at }) => (
        <g key={share}>
          <line class="axis" x1={at} x2={at} y1={floor} y2={floor + 4} />
          <text
            x={Math.max(edge, Math.min(width - edge, at))}
            y={height - 2}
            text-anchor={at < 22 ? 'start' : at > width - 22 ? 'end' : 'middle'}
          >
            {percent(share)}%
          </text>
        </g>
      ))}
      {isMoved && (
        <g>
          <line x1={savedAt} x2={savedAt} y1={top} y2={floor} stroke="var(--ink-3)" stroke-dasharray="2 3" />
          <text x={savedAt + 4} y={floor - 6}>
            saved
          </text>
        </g>
      )}
      {budget.missed !== null && (
        <Handle
          label="Share of positives that may be cleared"
          value={percent(budget.missed)}
          most={30}
          onDrag={(pixels) => onClearAt(logitAt(pixels))}
          onStep={(steps) => onStep({ missed: steps })}
        >
          <Grip at={clear} text={`clear ${percent(budget.missed)}%`} side="left" width={width} />
        </Handle>
      )}
      <Handle
        label="False-alarm budget"
        value={percent(budget.falseAlarms)}
        most={30}
        onDrag={(pixels) => onAlarmAt(logitAt(pixels))}
        onStep={(steps) => onStep({ alarm: steps })}
      >
        <Grip at={alarm} text={`alarm ${percent(budget.falseAlarms)}%`} side="right" width={width} />
      </Handle>
    </svg>
  );
}

function Zone({
  from,
  to,
  name,
  tone,
}: {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly tone: string;
}) {
  return (
    <g>
      <rect
        x={from}
        y={top - 4}
        width={Math.max(0, to - from)}
        height={floor - top + 4}
        fill={`var(--${tone}-soft)`}
      />
      {to - from > 52 && (
        <text x={from + 8} y={top + 12} class="strong" style={{ fill: `var(--${tone}-ink)` }}>
          {name}
        </text>
      )}
    </g>
  );
}

const tones = [
  ['url(#hatch)', 'var(--review)', 'var(--found)'],
  ['var(--clear)', 'var(--review)', 'var(--false-alarm)'],
] as const;

function Bars({ bins, across }: { readonly bins: Uint32Array; readonly across: number }) {
  const at = (kind: number, outcome: number, bin: number) => bins[(3 * kind + outcome) * BINS + bin]!;
  const all = (kind: number, bin: number) => at(kind, 0, bin) + at(kind, 1, bin) + at(kind, 2, bin);
  let most = 1;
  for (let bin = 0; bin < BINS; bin++) most = Math.max(most, all(0, bin), all(1, bin));
  const wide = across / BINS;
  // Below the names of the zones.
  const tall = middle - top - 20;
  // One path for all bars of a tone: hundreds of elements would take longer to update than the numbers to compute.
  const paths = tones.map((ofKind) => ofKind.map(() => ''));
  for (const kind of [0, 1]) {
    for (let bin = 0; bin < BINS; bin++) {
      const total = all(kind, bin);
      const whole = (tall * Math.sqrt(total)) / Math.sqrt(most);
      const right = `h${Math.max(1, wide - 1).toFixed(2)}`;
      let done = 0;
      for (const outcome of [2, 1, 0]) {
        const count = at(kind, outcome, bin);
        if (count === 0) continue;
        const part = (whole * count) / total;
        const y = kind === 0 ? middle - 1 - done - part : middle + 1 + done;
        done += part;
        paths[kind]![outcome] +=
          `M${(edge + bin * wide + 0.5).toFixed(2)} ${y.toFixed(2)}${right}v${part.toFixed(2)}${right.replace('h', 'h-')}z`;
      }
    }
  }
  return (
    <g>
      {paths.flatMap((ofKind, kind) =>
        ofKind.map((path, outcome) => (
          <path key={`${kind} ${outcome}`} d={path} fill={tones[kind]![outcome]} />
        )),
      )}
    </g>
  );
}

function Grip({
  at,
  text,
  side,
  width,
}: {
  readonly at: number;
  readonly text: string;
  readonly side: 'left' | 'right';
  readonly width: number;
}) {
  const wide = text.length * 7.2 + 16;
  const from = Math.max(0, Math.min(width - wide, side === 'left' ? at - wide + 9 : at - 9));
  return (
    <>
      <line class="rule" x1={at} x2={at} y1={20} y2={floor} />
      <rect x={at - 11} y={0} width={22} height={floor} fill="transparent" />
      <rect class="grip" x={from} y={1} width={wide} height={20} rx={10} />
      <text x={from + wide / 2} y={15} text-anchor="middle" class="strong" style={{ fill: 'var(--accent)' }}>
        {text}
      </text>
    </>
  );
}
