// Our networks compute what timm's and torchvision's compute. Weights are hashes of the peer's names, written to a file and
// loaded like any file of theirs, so these tests cover names, shapes and conversions too. The values of stored cases were
// computed by bench/fixtures/networks/make.py; the other cases ask the peer itself.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nn, noGrad, saveTensors, type Tensor, tensor, tidy } from '@anyclass/torch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hashedEntry, hashUniform } from '../verify/hashFill.js';
import { definitionOf, networkDefinitions, networkNames } from './catalog.js';
import { createNetwork } from './createNetwork.js';
import type { Network } from './network.js';
import { loadWeights } from './weights/loadWeights.js';
import { matchNames } from './weights/matchNames.js';

const fixtures = resolve(import.meta.dirname, '../../test/fixtures/networks');
const script = resolve(import.meta.dirname, '../../../../bench/fixtures/networks/make.py');
const folder = mkdtempSync(join(tmpdir(), 'anyclass-peers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const peerCase = z.strictObject({
  network: z.enum(networkNames),
  options: z.record(z.string(), z.unknown()),
  peer: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  salt: z.int().default(0),
  /** What the peer's training has in common with ours: nothing, if its batch norms have another eps. */
  compares: z.enum(['everything', 'evaluation']).default('everything'),
  /** The largest relative difference in float64; larger if the peer computes a part in float32. */
  tolerance: z.number().default(1e-9),
  stored: z.boolean().default(false),
});
type PeerCase = z.output<typeof peerCase>;

const peerValues = z.object({
  version: z.string(),
  evalLogits: z.array(z.number()),
  trainLogits: z.array(z.number()),
  inputGradient: z.object({ norm: z.number(), first: z.array(z.number()) }),
  entries: z.array(
    z.union([z.tuple([z.string(), z.array(z.int())]), z.tuple([z.string(), z.array(z.int()), z.number()])]),
  ),
});
type PeerValues = z.output<typeof peerValues>;

const cases = z.array(peerCase).parse(JSON.parse(readFileSync(join(fixtures, 'cases.json'), 'utf8')));
const titled = (stored: boolean) =>
  cases.filter((one) => one.stored === stored).map((one) => [`${one.network}, ${one.peer}`, one] as const);

describe('with the stored values of the peer', () => {
  test.each(titled(true))('%s', (_, one) => {
    const file = join(fixtures, `${one.network}.${one.peer.replace('/', '.')}.json`);
    compareWith(peerValues.parse(JSON.parse(readFileSync(file, 'utf8'))), one);
  });
});

// PEER_PYTHON: a Python with timm and torchvision, if python3 does not have them.
const python = process.env['PEER_PYTHON'] ?? 'python3';
const search =
  'from importlib.util import find_spec as f; assert f("timm") and f("torchvision") and f("safetensors")';
const hasPeers = spawnSync(python, ['-c', search]).status === 0;

describe.skipIf(!hasPeers)(
  'with the peer in Python (needs timm and torchvision in PEER_PYTHON or python3)',
  () => {
    const asked = titled(false);
    let answers: string[] = [];
    beforeAll(() => {
      // One process for all, because importing the libraries takes longest.
      const input = asked.map(([, one]) => `${JSON.stringify(one)}\n`).join('');
      const { stdout, stderr, status } = spawnSync(python, [script, '-'], {
        input,
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      });
      expect(status, stderr).toBe(0);
      answers = stdout.trim().split('\n');
    }, 600_000);

    test.each(asked)(
      '%s',
      (_, one) => {
        const answer = answers[asked.findIndex(([, other]) => other === one)] ?? '';
        compareWith(peerValues.parse(JSON.parse(answer)), one);
      },
      240_000,
    );
  },
);

const classes = 5;
const batch = 2;

function compareWith(values: PeerValues, one: PeerCase): void {
  using network = networkOf(one);
  const pairs = loadHashed(network, values, one);
  tidy(() => {
    const { salt, tolerance } = one;
    const shape = [batch, ...network.inputShape];
    const images = hashed('input', shape, salt);
    const small = noGrad(() => network.eval().forward(images));
    expect(errorOf(small, values.evalLogits)).toBeLessThan(1e-5);
    if (one.compares === 'evaluation') return;
    // Weights and images are float32 numbers, so float64 gives the peer's values nearly to the last bit.
    network.to('float64');
    const exact = images.to('float64');
    exact.requiresGrad = true;
    const evaluated = noGrad(() => network.forward(exact));
    expect(errorOf(evaluated, values.evalLogits)).toBeLessThan(tolerance);
    const trained = network.train().forward(exact);
    expect(errorOf(trained, values.trainLogits)).toBeLessThan(tolerance);
    trained.backward(hashed('probe', trained.shape, salt).to('float64'));
    const gradient = exact.grad!;
    expect(normOf(gradient) / values.inputGradient.norm).toBeCloseTo(1, 5);
    expect(errorOf(gradient.flatten().narrow(0, 0, 8), values.inputGradient.first)).toBeLessThan(
      1e3 * tolerance,
    );
    compareGradients(network, values, pairs, 1e3 * tolerance);
  });
}

/** Builds the network in evaluation of what it shares with the peer: nothing is dropped at random. */
function networkOf({ network: name, options }: PeerCase): Network {
  const own = networkDefinitions[name].options;
  const off = Object.fromEntries(
    ['stochasticDepth', 'dropout'].filter((field) => field in own).map((field) => [field, 0]),
  );
  return nn.init.withoutDrawing(() => createNetwork(name, { classes, ...off, ...options }));
}

/** Writes hashed weights under the peer's names, loads them, and returns the peer's name of each of our entries. */
function loadHashed(
  network: Network,
  { entries }: PeerValues,
  { salt }: PeerCase,
): ReadonlyMap<string, string> {
  const file = join(folder, 'weights.safetensors');
  tidy(() =>
    saveTensors(
      file,
      entries.map(([name, shape]) => [name, hashedEntry(name, shape, { salt })] as const),
    ),
  );
  const report = loadWeights(network, file, { strict: true });
  rmSync(file);
  expect(report).toMatchObject({ freshHead: [], resized: [], adapted: [] });
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
  tolerance: number,
): void {
  const expected = new Map(entries.map(([name, , norm]) => [name, norm]));
  const total = Math.hypot(...entries.map(([, , norm = 0]) => norm));
  const { hasDefault } = definitionOf(network).weights;
  for (const [name, { grad }] of network.namedParameters()) {
    const foreign = pairs.get(name);
    if (foreign === undefined && hasDefault?.(name)) continue;
    const norm = expected.get(foreign ?? '') ?? Number.NaN;
    const error = Math.abs((grad ? normOf(grad) : 0) - norm);
    expect([name, error < tolerance * norm + 1e-9 * total]).toEqual([name, true]);
  }
}

function hashed(name: string, shape: readonly number[], salt: number): Tensor {
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
