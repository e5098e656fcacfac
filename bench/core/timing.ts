import { median } from '../measure/timing.js';

/** Seconds of each of `repeats` calls, after `warmUp` calls that do not count. */
export function secondsOf(call: () => void, repeats: number, warmUp: number): number[] {
  const seconds: number[] = [];
  for (let run = -warmUp; run < repeats; run++) {
    const start = performance.now();
    call();
    if (run >= 0) seconds.push((performance.now() - start) / 1000);
  }
  return seconds;
}

/** Seconds of two implementations: the median of each, and the fastest run, which a busy machine affects least. */
export interface Comparison {
  readonly ours: number;
  readonly peer: number;
  readonly fastestOurs: number;
  readonly fastestPeer: number;
}

/** Runs ours and the peer alternately, so that a busy machine slows both alike. */
export function inTurns(rounds: number, runOurs: () => number[], runPeer: () => number[]): Comparison {
  const ours: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(...runOurs());
    peer.push(...runPeer());
  }
  return {
    ours: median(ours),
    peer: median(peer),
    fastestOurs: Math.min(...ours),
    fastestPeer: Math.min(...peer),
  };
}

/** How many times faster ours is, by the medians and by the fastest runs. */
export function ratios({ ours, peer, fastestOurs, fastestPeer }: Comparison): string {
  return `${(peer / ours).toFixed(1)} | ${(fastestPeer / fastestOurs).toFixed(1)}`;
}
