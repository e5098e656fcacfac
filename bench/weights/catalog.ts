// Writes the catalog of published weights from the data of timm and torchvision (bench/fixtures/weights/published.py), after
// checking that their names and shapes fit our networks.
//
//   python3 bench/fixtures/weights/published.py > /tmp/published.json
//   node bench/dist/weights/catalog.js /tmp/published.json [--ask]
//
// With --ask, it requests commits, hashes and sizes from the servers; known ones are kept.

import { readFileSync, writeFileSync } from 'node:fs';
import { nn } from '@anyclass/torch';
import { createNetwork, isNetworkName, networkDefinitions } from 'anyclass/networks';
import { allPublished, hubFacts, matchNames, type PublishedWeights } from 'anyclass/weights';

interface Dump {
  readonly timm: string;
  readonly torchvision: string;
  readonly weights: readonly (PublishedWeights & {
    readonly network: string;
    readonly shapes: Readonly<Record<string, readonly number[]>>;
    readonly license: string | null;
  })[];
}

const [dumpPath = '', flag] = process.argv.slice(2);
const dump: Dump = JSON.parse(readFileSync(dumpPath, 'utf8'));
const before = new Map(allPublished().map(({ weights }) => [weights.name, weights]));
const entries = new Map<string, PublishedWeights[]>();
for (const { network, shapes, license, ...facts } of dump.weights) {
  checkFit(network, facts, shapes);
  const weights = {
    ...serverFacts(before.get(facts.name)),
    ...facts,
    ...optionsFor(network, shapes),
    ...(license !== null && { license }),
    ...(flag === '--ask' && (await asked(facts))),
  };
  entries.set(network, [...(entries.get(network) ?? []), weights]);
}
const path = new URL(
  '../../../packages/anyclass/src/networks/published/published.generated.ts',
  import.meta.url,
);
writeFileSync(path, sourceOf(entries));
console.log(`wrote ${dump.weights.length} entries; now run: npm run format`);

/** The trunk must be complete, in our shapes or in shapes that can be resized to them. */
function checkFit(
  network: string,
  { name, inputSize, classes }: PublishedWeights,
  shapes: Readonly<Record<string, readonly number[]>>,
): void {
  if (!isNetworkName(network)) throw new Error(`there is no network ${network}`);
  using own = nn.init.withoutDrawing(() => createNetwork(network, { classes: classes || 1, inputSize }));
  const { conventions = [], hasDefault, isComputed } = networkDefinitions[network].weights;
  const state = own.stateDict();
  const { pairs, unused } = matchNames(conventions, Object.keys(shapes), new Set(state.keys()));
  for (const [entry, tensor] of state) {
    if (isComputed?.(entry)) continue;
    const foreign = pairs.get(entry);
    const shape = foreign === undefined ? undefined : shapes[foreign];
    const isOpen = hasDefault?.(entry) || (classes === 0 && entry.startsWith(own.headPrefix));
    if (shape === undefined && isOpen) continue;
    // torchvision's meta network has its default size, whatever size the weights were trained at.
    const fits = shape !== undefined && (sizes(shape) === sizes(tensor.shape) || /pos_embed/.test(entry));
    if (!fits) throw new Error(`${name}: ${entry} is ${shape} in place of ${tensor.shape}`);
  }
  if (unused.length > 0) throw new Error(`${name}: ${unused} are of no use`);
}

/** The options that a network needs for these weights, where they differ from its defaults. */
function optionsFor(network: string, shapes: Dump['weights'][number]['shapes']): Partial<PublishedWeights> {
  if (!isNetworkName(network)) return {};
  const { weights, defaults } = networkDefinitions[network];
  const usual = new Map<string, unknown>(Object.entries(defaults));
  const own: Record<string, string | number> = { ...weights.optionsOf?.(new Map(Object.entries(shapes))) };
  const options = Object.entries(own).filter(([name, value]) => usual.get(name) !== value);
  return options.length > 0 ? { options: Object.fromEntries(options) } : {};
}

/** Sizes of 1 do not count: a product can be stored as a 1x1 convolution. */
function sizes(shape: readonly number[]): string {
  return shape.filter((size) => size !== 1).join();
}

function serverFacts(known: PublishedWeights | undefined): Partial<PublishedWeights> {
  if (!known) return {};
  const { sha256, size } = known;
  const revision = 'repository' in known ? known.revision : undefined;
  return { ...(sha256 && { sha256 }), ...(size && { size }), ...(revision && { revision }) };
}

async function asked(weights: PublishedWeights): Promise<Partial<PublishedWeights>> {
  if ('repository' in weights) {
    const file = { repository: weights.repository, revision: 'main', file: 'model.safetensors' };
    const { commit, checksum, size } = await hubFacts(file);
    return { revision: commit, sha256: checksum.value, ...(size !== undefined && { size }) };
  }
  const response = await fetch(weights.address, { method: 'HEAD' });
  const length = response.headers.get('content-length');
  return response.ok && length !== null ? { size: Number(length) } : {};
}

function sourceOf(byNetwork: ReadonlyMap<string, readonly PublishedWeights[]>): string {
  return [
    `// Generated by bench/weights/catalog.ts from timm ${dump.timm} and torchvision ${dump.torchvision.split('+')[0]}; do not edit.`,
    '',
    "import type { PublishedWeights } from './publishedWeights.js';",
    '',
    '/** By network. */',
    `export const publishedWeights: Readonly<Partial<Record<string, readonly PublishedWeights[]>>> = ${JSON.stringify(Object.fromEntries(byNetwork))};`,
    '',
  ].join('\n');
}
