import { percent } from './numbers.js';

/** A probability beside the threshold that it must reach. */
export interface ProbabilityBar {
  /** A class, or `presence`. */
  readonly target: string;
  readonly probability: number;
  readonly threshold: number | null;
  readonly isStrong: boolean;
}

/** Probabilities as bars; one is pressed to see its heat map. */
export function ProbabilityBars(props: {
  readonly bars: readonly ProbabilityBar[];
  /** The target whose heat map is shown. */
  readonly shown: string | undefined;
  readonly onShow: (target: string | undefined) => void;
  readonly hasMap?: (target: string) => boolean;
}) {
  const { bars, shown, onShow, hasMap = () => true } = props;
  return (
    <ul class="bars small">
      {bars.map(({ target, probability, threshold, isStrong }) => (
        <li key={target}>
          <button
            type="button"
            class="bar"
            aria-pressed={shown === target}
            disabled={!hasMap(target)}
            title="Where the model sees it"
            onClick={() => onShow(shown === target ? undefined : target)}
          >
            <span class={isStrong ? 'labeled' : ''}>
              <bdi>{target}</bdi>
            </span>
            <span class="track">
              <i
                style={{ width: `${100 * probability}%` }}
                class={threshold !== null && probability >= threshold ? 'over' : ''}
              />
              {threshold !== null && <em style={{ left: `${100 * Math.min(1, threshold)}%` }} />}
            </span>
            <span class="number">{percent(probability)}%</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
