/** Megabytes that docs/serving.md promises: of the server with a small model, and of each of its decoders. */
const mostMegabytes = 1500;
const mostDecoderMegabytes = 1500;

/** Samples of memory, one in half a second or more, from which growth can be told from noise: half an hour. */
const longCurve = 2000;

/** The medians of twelve equal parts of a curve. @param {readonly number[]} curve @returns {number[]} */
export function twelfths(curve) {
  const parts = Math.min(12, curve.length);
  return Array.from({ length: parts }, (_, i) => {
    const limits = [i, i + 1].map((k) => Math.floor((k * curve.length) / parts));
    const part = curve.slice(...limits).sort((a, b) => a - b);
    return part[Math.floor(part.length / 2)] ?? 0;
  });
}

/** Whether the second half of a long curve is a tenth above the first, without its start. @param {readonly number[]} curve */
function hasGrown(curve) {
  if (curve.length < longCurve) return false;
  const mean = (/** @type {number[]} */ values) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const medians = twelfths(curve);
  return mean(medians.slice(6)) > 1.1 * mean(medians.slice(1, 6));
}

/**
 * What a server under attack did not keep of its promises.
 *
 * @param {import('./attackServer.mjs').HostileResult} result
 * @returns {string[]}
 */
export function failuresOf({ isAlive, refused, unexpected, megabytes, decoderMegabytes, curve }) {
  return [
    ...(isAlive ? [] : ['the server ended']),
    ...(refused.length === 0 ? [] : [`ordinary requests were refused: ${[...new Set(refused)].join(', ')}`]),
    ...(unexpected === 0 ? [] : [`${unexpected} unexpected errors`]),
    ...(megabytes <= mostMegabytes ? [] : [`the server took ${megabytes} MB`]),
    ...(hasGrown(curve) ? [`the server's memory grew: ${twelfths(curve).join(', ')} MB`] : []),
    ...(decoderMegabytes <= mostDecoderMegabytes ? [] : [`a decoder took ${decoderMegabytes} MB`]),
  ];
}
