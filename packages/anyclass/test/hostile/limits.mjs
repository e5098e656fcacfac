/** Megabytes that docs/serving.md promises: of the server with a small model, and of each of its decoders. */
const mostMegabytes = 1500;
const mostDecoderMegabytes = 1500;

/**
 * What a server under attack did not keep of its promises.
 *
 * @param {import('./attackServer.mjs').HostileResult} result
 * @returns {string[]}
 */
export function failuresOf({ isAlive, refused, unexpected, megabytes, decoderMegabytes }) {
  return [
    ...(isAlive ? [] : ['the server ended']),
    ...(refused.length === 0 ? [] : [`ordinary requests were refused: ${[...new Set(refused)].join(', ')}`]),
    ...(unexpected === 0 ? [] : [`${unexpected} unexpected errors`]),
    ...(megabytes <= mostMegabytes ? [] : [`the server took ${megabytes} MB`]),
    ...(decoderMegabytes <= mostDecoderMegabytes ? [] : [`a decoder took ${decoderMegabytes} MB`]),
  ];
}
