// The pointing game on scenes of digits, whose places are known (Zhang et al., "Top-down Neural Attention by Excitation Backprop",
// arXiv 1608.00507): does the strongest place of a class's map lie on a digit of that class? Beside it, the share of the map's sum on
// those digits, Grad-CAM by hooks in PyTorch on the same weights, and the randomization test (Adebayo et al., arXiv 1810.03292): rank
// correlation of maps before and after the head, or all weights, are drawn anew.
//
//     node bench/dist/explain/pointing.js RUN… [--scenes 300]
//
// RUN: finished runs on digits. PEER_PYTHON: a Python with timm and torchvision.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  hasCuda,
  loadTensors,
  nn,
  noGrad,
  saveTensors,
  setSeed,
  type Tensor,
  tensor,
  tidy,
} from '@anyclass/torch';
import { exportTimm, exportTorchvision } from 'anyclass';
import { type DigitPlace, decodeImage, openDataset, testDigitPlaces } from 'anyclass/data';
import { deviceImages } from 'anyclass/data/tensors';
import { type HeatMap, type HeatMapMethod, heatMaps, peakPlace } from 'anyclass/explain';
import { moveNetwork, type Network } from 'anyclass/networks';
import { loadModel } from 'anyclass/runs';

const device = hasCuda() ? 'cuda' : 'cpu';
const side = 64;
const digitSide = 28;

/** A scene, a class that is present in it, and where. */
interface Case {
  readonly scene: number;
  readonly target: number;
  readonly places: readonly DigitPlace[];
}

interface Score {
  readonly hits: number;
  readonly energy: number;
}

const isOn = (places: readonly DigitPlace[], x: number, y: number) =>
  places.some((place) => x >= place.x && x < place.x + digitSide && y >= place.y && y < place.y + digitSide);

function scoreOf(maps: readonly HeatMap[], cases: readonly Case[]): Score {
  let [hits, energy] = [0, 0];
  for (const [i, map] of maps.entries()) {
    const { places } = cases[i]!;
    const peak = peakPlace(map);
    if (peak && isOn(places, peak.x * side, peak.y * side)) hits++;
    let [on, all] = [0, 0];
    for (const [cell, value] of map.values.entries()) {
      const x = (((cell % map.columns) + 0.5) * side) / map.columns;
      const y = ((Math.floor(cell / map.columns) + 0.5) * side) / map.rows;
      all += value;
      if (isOn(places, x, y)) on += value;
    }
    energy += all === 0 ? 0 : on / all;
  }
  return { hits: hits / maps.length, energy: energy / maps.length };
}

/** The share of the scene that the digits cover: what a random place would score. */
function chance(cases: readonly Case[]): number {
  const covered = cases.map(({ places }) => {
    let on = 0;
    for (let i = 0; i < side ** 2; i++) if (isOn(places, i % side, Math.floor(i / side))) on++;
    return on / side ** 2;
  });
  return covered.reduce((sum, share) => sum + share, 0) / covered.length;
}

function inBatches(
  network: Network,
  images: Tensor,
  cases: readonly Case[],
  method: HeatMapMethod | 'auto',
): HeatMap[] {
  const maps: HeatMap[] = [];
  for (let from = 0; from < cases.length; from += 16) {
    const part = cases.slice(from, from + 16);
    maps.push(
      ...tidy(() => {
        const rows = tensor(
          Int32Array.from(part, ({ scene }) => scene),
          { dtype: 'int64', device },
        );
        return heatMaps(
          network,
          images.indexSelect(0, rows),
          part.map(({ target }) => target),
          { method },
        );
      }),
    );
  }
  return maps;
}

/** Spearman's rank correlation, averaged over maps. */
function similarity(a: readonly HeatMap[], b: readonly HeatMap[]): number {
  const ranks = ({ values }: HeatMap) => {
    const order = [...values.keys()].sort((i, j) => values[i]! - values[j]!);
    const rank = new Float64Array(order.length);
    for (let from = 0; from < order.length; ) {
      let to = from;
      while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
      for (let k = from; k < to; k++) rank[order[k]!] = (from + to - 1) / 2;
      from = to;
    }
    return rank.map((value) => value - (order.length - 1) / 2);
  };
  const product = (p: Float64Array, q: Float64Array) => p.reduce((sum, value, i) => sum + value * q[i]!, 0);
  const each = a.map((map, i) => {
    const [p, q] = [ranks(map), ranks(b[i]!)];
    return product(p, q) / Math.sqrt(product(p, p) * product(q, q) || 1);
  });
  return each.reduce((sum, value) => sum + value, 0) / each.length;
}

/** Writes a run's weights for the library that has its network. */
async function exported(run: string, folder: string): Promise<'timm' | 'torchvision'> {
  try {
    await exportTimm(run, folder);
    return 'timm';
  } catch {
    await exportTorchvision(run, folder);
    return 'torchvision';
  }
}

/** Maps by hooks in PyTorch; undefined if timm and torchvision are missing or have no such network. */
async function peerMaps(run: string, images: Tensor, cases: readonly Case[]): Promise<HeatMap[] | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-pointing-'));
  try {
    const library = await exported(run, join(folder, 'model'));
    const input = join(folder, 'input.safetensors');
    tidy(() => {
      const rows = tensor(
        Int32Array.from(cases, ({ scene }) => scene),
        { dtype: 'int64', device },
      );
      const chosen = images.indexSelect(0, rows).to('cpu').contiguous();
      const [count = 0, channels = 0, height = 0, width = 0] = chosen.shape;
      const given = channels === 3 ? chosen : chosen.expand([count, 3, height, width]).contiguous();
      const targets = tensor(
        Int32Array.from(cases, ({ target }) => target),
        { dtype: 'int64' },
      );
      saveTensors(input, Object.entries({ images: given, targets }));
    });
    const output = join(folder, 'maps.safetensors');
    const script = fileURLToPath(new URL('../../explain/peer.py', import.meta.url));
    const python = process.env['PEER_PYTHON'] ?? 'python3';
    const { status, stderr } = spawnSync(python, [script, library, join(folder, 'model'), input, output], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
    return tidy(() => {
      const maps = loadTensors(output).tensors.get('gradCam')!;
      const [count = 0, rows = 0, columns = 0] = maps.shape;
      const values = maps.toFloat32Array();
      return Array.from({ length: count }, (_, i) => ({
        method: 'grad-cam' as const,
        rows,
        columns,
        values: values.slice(i * rows * columns, (i + 1) * rows * columns),
      }));
    });
  } catch (error) {
    console.log(`(no peer: ${error instanceof Error ? error.message : String(error)})`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function play(run: string, scenes: number): Promise<void> {
  const { network, description } = loadModel(run);
  moveNetwork(network, device);
  if ('features' in description) throw new Error(`${run} takes features`);
  const dataset = await openDataset('digits', {
    digits: { scenes: { train: 1, validation: 1, test: scenes } },
  });
  const places = await testDigitPlaces(0, scenes);
  const { inputSize } = network.options;
  const format = { width: inputSize, height: inputSize, channels: 1 as const };
  const pixels = await Promise.all(
    Array.from({ length: scenes }, async (_, i) =>
      decodeImage(await dataset.images.read(dataset.splits.test[i]!), format),
    ),
  );
  const { mean, std } = description;
  const images = deviceImages({ size: scenes, inputs: Buffer.concat(pixels) }, { format, device, mean, std });
  const probabilities = tidy(() =>
    noGrad(() => network.forward(images))
      .sigmoid()
      .toFloat32Array(),
  );
  const classes = description.classes.map(Number);
  const cases = places.flatMap((ofScene, scene) =>
    classes.flatMap((digit, target) => {
      const own = ofScene.filter((place) => place.digit === digit);
      // As in the original game, what the network does not see is not asked for.
      return own.length > 0 && probabilities[scene * classes.length + target]! >= 0.5
        ? [{ scene, target, places: own }]
        : [];
    }),
  );
  if (cases.length === 0) {
    console.log(
      `\n${run}: sees none of the digits in ${scenes} scenes, so there is nothing to point at; train it longer`,
    );
    return;
  }
  console.log(
    `\n${run}: ${network.name} at ${inputSize} px, ${cases.length} digits seen in ${scenes} scenes; a random place hits ${percent(chance(cases))}`,
  );
  console.log(
    '| map | cells | hits | sum on the digit | same after a new head | after new weights |\n|---|---|---|---|---|---|',
  );
  const methods = ['auto', 'grad-cam', 'layer-cam', 'tokens', 'occlusion'] as const;
  const before = new Map<HeatMapMethod | 'auto', HeatMap[]>();
  for (const method of methods) {
    try {
      before.set(method, inBatches(network, images, cases, method));
    } catch {
      // Not for this network.
    }
  }
  const peer = await peerMaps(run, images, cases);
  setSeed(1);
  const drawn = (isChosen: (name: string) => boolean) => {
    for (const [name, parameter] of network.namedParameters())
      if (parameter.ndim > 1 && isChosen(name))
        noGrad(() => void nn.init.normal_(parameter, 0, deviation(parameter)));
    return new Map([...before.keys()].map((method) => [method, inBatches(network, images, cases, method)]));
  };
  const newHead = drawn((name) => name.startsWith(network.headPrefix));
  const newWeights = drawn(() => true);
  for (const [method, maps] of before) {
    const { hits, energy } = scoreOf(maps, cases);
    const { rows, columns, method: used } = maps[0]!;
    console.log(
      `| ${method === 'auto' ? `auto: ${used}` : method} | ${rows}x${columns} | ${percent(hits)} | ${percent(energy)} | ${similarity(maps, newHead.get(method)!).toFixed(2)} | ${similarity(maps, newWeights.get(method)!).toFixed(2)} |`,
    );
  }
  if (peer) {
    const { hits, energy } = scoreOf(peer, cases);
    console.log(
      `| PyTorch hooks, Grad-CAM | ${peer[0]!.rows}x${peer[0]!.columns} | ${percent(hits)} | ${percent(energy)} | | |`,
    );
  }
  network.dispose();
  images.dispose();
}

/** That of the weights themselves, so that activations keep their size. */
function deviation(parameter: Tensor): number {
  return Math.sqrt(tidy(() => parameter.detach().pow(2).mean().toNumber())) || 0.02;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`;
}

const words = process.argv.slice(2);
const at = words.indexOf('--scenes');
const scenes = at < 0 ? 300 : Number(words[at + 1]);
for (const run of at < 0 ? words : words.filter((_, i) => i !== at && i !== at + 1)) await play(run, scenes);
