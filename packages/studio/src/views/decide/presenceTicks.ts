// The marks below the histogram of presence, whose axis is of logits: it crowds the probabilities in its middle.

const places = [0.0001, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95, 0.985, 0.997, 0.9995];
/** Pixels that '99.95%' takes, where it starts at its mark instead of standing in its middle. */
const apart = 58;

/** The probabilities between two logits whose texts have room beside each other, with their places. */
export function presenceTicks(
  lowest: number,
  highest: number,
  x: (logit: number) => number,
): { readonly share: number; readonly at: number }[] {
  let before = Number.NEGATIVE_INFINITY;
  return places.flatMap((share) => {
    const logit = Math.log(share / (1 - share));
    const at = x(logit);
    if (logit <= lowest || logit >= highest || at - before < apart) return [];
    before = at;
    return [{ share, at }];
  });
}
