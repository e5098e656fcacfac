/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const middle = ascending.length >> 1;
  return ascending.length % 2 === 1 ? ascending[middle]! : (ascending[middle - 1]! + ascending[middle]!) / 2;
}

/** Seconds of each of `repeats` calls, after as many as `warmUp` that do not count. */
export function secondsOf(call: () => void, repeats: number, warmUp: number): number[] {
  const seconds: number[] = [];
  for (let run = -warmUp; run < repeats; run++) {
    const start = performance.now();
    call();
    if (run >= 0) seconds.push((performance.now() - start) / 1000);
  }
  return seconds;
}

/** Ours beside the peer's, in turns: the median of each over all rounds, so that a busy machine slows both alike. */
export function inTurns(
  rounds: number,
  ours: () => number[],
  peer: () => number[],
): { ours: number; peer: number } {
  const seconds = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    seconds.ours.push(...ours());
    seconds.peer.push(...peer());
  }
  return { ours: median(seconds.ours), peer: median(seconds.peer) };
}
