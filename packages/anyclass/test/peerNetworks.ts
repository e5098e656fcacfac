// Compares our networks with those of timm, torchvision and transformers: logits and gradients, with weights that are hashes of
// the peer's names. bench/fixtures/networks/make.py computes the peer's values.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nn, noGrad, type Tensor, tensor, tidy } from '@anyclass/torch';
import { expect } from 'vitest';
import { z } from 'zod';
import { definitionOf, networkDefinitions, networkNames } from '../src/networks/catalog.js';
import { createNetwork } from '../src/networks/createNetwork.js';
import type { Network } from '../src/networks/network.js';
import { loadWeights } from '../src/networks/weights/loadWeights.js';
import { matchNames } from '../src/networks/weights/matchNames.js';
import { hashUniform } from '../src/verify/hashFill.js';

const peerCase = z.strictObject({
  network: z.enum(networkNames),
  options: z.looseObject({ inputSize: z.int(), channels: z.int().default(3) }),
  /** The library and its name of the network. */
  peer: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** The peer's arguments when it wrote the file, if the file is for other images; the library converts it for its own network. */
  written: z.record(z.string(), z.unknown()).optional(),
  salt: z.int().default(0),
  /** What the peer has in common with ours: not everything, if its batch norms have another eps. */
  compares: z.enum(['everything', 'evaluation', 'training']).default('everything'),
  /** What is compared; a model without a last layer gives the vector of an image. */
  output: z.enum(['logits', 'pooled']).default('logits'),
  /** Entries of the file that our network has no use for. */
  unused: z.array(z.string()).default([]),
  /** Whether batch norms move their running statistics as fast as the peer's. */
  momentum: z.enum(['same', 'other']).default('same'),
  /** Our entries whose values the peer divides differently, so that their gradients differ. */
  regrouped: z.array(z.string()).default([]),
  /** The largest relative difference in float64; larger if the peer computes a part in float32. */
  tolerance: z.number().default(1e-9),
  stored: z.boolean().default(false),
});
export type PeerCase = z.output<typeof peerCase>;

export const peerValues = z.object({
  version: z.string(),
  evalLogits: z.array(z.number()),
  trainLogits: z.array(z.number()),
  inputGradient: z.object({ norm: z.number(), first: z.array(z.number()) }),
  /** Name, shape, and the norm of the gradient unless it is a buffer. */
  entries: z.array(
    z.union([z.tuple([z.string(), z.array(z.int())]), z.tuple([z.string(), z.array(z.int()), z.number()])]),
  ),
  /** The norms of running statistics after one training step. */
  statistics: z.record(z.string(), z.number()).default({}),
  /** The file that the library wrote. */
  file: z.string().optional(),
});
export type PeerValues = z.output<typeof peerValues>;

export const peerFixtures = resolve(import.meta.dirname, 'fixtures/networks');

/** Returns the cases with their titles: those whose values are stored, or those that need the library itself. */
export function peerCases({ stored }: { readonly stored: boolean }): (readonly [string, PeerCase])[] {
  const cases = z.array(peerCase).parse(JSON.parse(readFileSync(join(peerFixtures, 'cases.json'), 'utf8')));
  return cases
    .filter((one) => one.stored === stored)
    .map((one) => {
      const { inputSize, channels } = one.options;
      const resized = one.written ? ', from a file for other images' : '';
      return [`${one.network}, ${one.peer}, ${channels}x${inputSize}${resized}`, one];
    });
}

const classes = 5;
const batch = 2;

/** Loads a file with the peer's names into our network and expects the peer's values. */
export function compareWithPeer(values: PeerValues, one: PeerCase, file: string): void {
  using network = networkOf(one);
  const pairs = loadStrictly(network, values, one, file);
  tidy(() => {
    const { salt, tolerance, compares, output } = one;
    const forward = (input: Tensor, training: boolean) => {
      network.train(training);
      return output === 'logits' ? network.forward(input) : network.pooled(network.forwardFeatures(input));
    };
    const images = hashedTensor('input', [batch, ...network.inputShape], salt);
    const isTrained = compares === 'training';
    const small = noGrad(() => forward(images, isTrained));
    expect(errorOf(small, isTrained ? values.trainLogits : values.evalLogits)).toBeLessThan(1e-5);
    // Weights and images are float32 numbers, so float64 gives the peer's values nearly to the last bit.
    network.to('float64');
    const exact = images.to('float64');
    exact.requiresGrad = true;
    if (!isTrained) {
      const evaluated = noGrad(() => forward(exact, false));
      expect(errorOf(evaluated, values.evalLogits)).toBeLessThan(tolerance);
    }
    const trained = forward(exact, compares !== 'evaluation');
    expect(errorOf(trained, values.trainLogits)).toBeLessThan(tolerance);
    trained.backward(hashedTensor('probe', trained.shape, salt).to('float64'));
    const gradient = exact.grad!;
    const { norm, first } = values.inputGradient;
    expect(Math.abs(normOf(gradient) / norm - 1)).toBeLessThan(1e3 * tolerance);
    expect(errorOf(gradient.flatten().narrow(0, 0, 8), first)).toBeLessThan(1e3 * tolerance);
    compareGradients(network, values, pairs, one);
    if (compares === 'everything' && one.momentum === 'same') compareStatistics(network, values, pairs, one);
  });
}

/** Builds the network with nothing that is dropped at random. */
function networkOf({ network: name, options }: PeerCase): Network {
  const own = networkDefinitions[name].options;
  const off = Object.fromEntries(
    ['stochasticDepth', 'dropout'].filter((field) => field in own).map((field) => [field, 0]),
  );
  return nn.init.withoutDrawing(() => createNetwork(name, { classes, ...off, ...options }));
}

/** Loads the file, expects that everything fits, and returns the peer's name of each of our entries. */
function loadStrictly(
  network: Network,
  { entries }: PeerValues,
  one: PeerCase,
  file: string,
): ReadonlyMap<string, string> {
  const { unused, missing, misshapen, freshHead, resized, adapted } = loadWeights(network, file);
  expect({ unused, missing, misshapen }).toEqual({ unused: one.unused, missing: [], misshapen: [] });
  expect(freshHead.length > 0).toBe(one.output === 'pooled');
  if (!one.written) expect({ resized, adapted }).toEqual({ resized: [], adapted: [] });
  const { conventions = [] } = definitionOf(network).weights;
  return matchNames(
    conventions,
    entries.map(([name]) => name),
    new Set(network.stateDict().keys()),
  ).pairs;
}

function compareGradients(
  network: Network,
  { entries }: PeerValues,
  pairs: ReadonlyMap<string, string>,
  { regrouped, tolerance }: PeerCase,
): void {
  const norms = new Map(entries.map(([name, , norm]) => [name, norm]));
  const total = Math.hypot(...entries.map(([, , norm = 0]) => norm));
  const { hasDefault } = definitionOf(network).weights;
  for (const [name, { grad }] of network.namedParameters()) {
    const parts = ['', '#0/3', '#1/3', '#2/3'].flatMap((part) => pairs.get(name + part) ?? []);
    // Biases that the peer does not have.
    if (parts.length === 0 && hasDefault?.(name)) continue;
    if (regrouped.includes(name)) continue;
    const norm = Math.hypot(...parts.map((part) => norms.get(part) ?? 0));
    const error = Math.abs((grad ? normOf(grad) : 0) - norm);
    expect([name, error < 1e3 * tolerance * norm + tolerance * total]).toEqual([name, true]);
  }
}

function compareStatistics(
  network: Network,
  { statistics }: PeerValues,
  pairs: ReadonlyMap<string, string>,
  { tolerance }: PeerCase,
): void {
  for (const [name, entry] of network.stateDict()) {
    const expected = statistics[pairs.get(name) ?? ''];
    if (expected === undefined) continue;
    expect([name, Math.abs(normOf(entry) / expected - 1) < 10 * tolerance]).toEqual([name, true]);
  }
}

function hashedTensor(name: string, shape: readonly number[], salt: number): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return tensor(
    Float32Array.from(hashUniform(name, count, salt), (u) => 2 * u - 1),
    { shape },
  );
}

/** Returns the largest difference, relative to the largest expected value. */
function errorOf(found: Tensor, expected: readonly number[]): number {
  const values = Array.from(found.detach().flatten().toTypedArray(), Number);
  expect(values.length).toBe(expected.length);
  const largest = Math.max(...expected.map(Math.abs));
  return Math.max(...values.map((value, i) => Math.abs(value - expected[i]!))) / largest;
}

function normOf(values: Tensor): number {
  return values.flatten().norm(2, [0]).toNumber();
}
