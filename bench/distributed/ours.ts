// One rank of our training step: forward, loss, backward with gradients summed in buckets, SGD; on a GPU in bfloat16 and
// captured. Prints the time of a step.
//
//   RANK=0 WORLD_SIZE=2 node bench/dist/distributed/ours.js NETWORK SIZE BATCH STEPS [synchronized]

import {
  autocast,
  captureStep,
  cudaSynchronize,
  distributed,
  hasCuda,
  keepFreedMemory,
  optim,
  randn,
  setSeed,
  tidy,
} from '@anyclass/torch';
import { anyClassLoss } from 'anyclass/losses';
import { ActivatedBatchNorm, createNetwork, isNetworkName } from 'anyclass/networks';

const [name = 'resnet-18', size = '64', batch = '16', steps = '12', norms] = process.argv.slice(2);
if (!isNetworkName(name)) throw new Error(`there is no network '${name}'`);
const isAlone = process.env['WORLD_SIZE'] === undefined;
const group = isAlone ? undefined : await distributed.init();
const device = hasCuda() ? 'cuda' : 'cpu';
keepFreedMemory(); // as training does
setSeed(1);
const network = createNetwork(name, { classes: 10, inputSize: Number(size) });
network.to({ device, memoryFormat: device === 'cpu' ? 'contiguous' : 'channelsLast' });
if (group && norms === 'synchronized') {
  // Norms skip synchronization in a group of one rank, but here its cost is to be measured.
  const two = Object.create(group, { worldSize: { value: 2 } }) as distributed.ProcessGroup;
  for (const [, layer] of network.namedModules())
    if (layer instanceof ActivatedBatchNorm) layer.synchronize(two);
}
const optimizer = new optim.SGD(network.parameters(), { lr: 0.01, momentum: 0.9 });
const buckets = group && new distributed.GradientBuckets(group, network.parameters());
const images = randn([Number(batch), 3, Number(size), Number(size)], { device });
const targets = randn([Number(batch), 10], { device })
  .gt(0.5)
  .to('float32');

const forward = () => network.forward(images);
const step = () => {
  optimizer.zeroGrad();
  const logits = device === 'cuda' ? autocast(forward, { device, dtype: 'bfloat16' }) : forward();
  const loss = anyClassLoss(logits, targets, { base: 'bce', alpha: 0 });
  buckets?.prepare();
  loss.backward();
  buckets?.finish();
  optimizer.step();
  return [loss.detach()];
};
const isCaptured = device === 'cuda' && group?.backend !== 'gloo';
const captured = captureStep(() => step());
const run = isCaptured ? () => captured(images) : step;
const times: number[] = [];
const processor: number[] = [];
for (let i = 0; i < Number(steps) + 4; i++) {
  const started = performance.now();
  const used = process.cpuUsage();
  tidy(() => void run());
  if (device === 'cuda') cudaSynchronize();
  if (i < 4) continue;
  times.push(performance.now() - started);
  const { user, system } = process.cpuUsage(used);
  processor.push((user + system) / 1000);
}
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
if ((group?.rank ?? 0) === 0)
  console.log(
    JSON.stringify({
      name,
      milliseconds: median(times),
      processor: median(processor),
      buckets: buckets?.sizes,
    }),
  );
process.stdout.write('', () => process.exit(0));
