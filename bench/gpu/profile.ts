// Runs one network's training steps or predictions uncaptured, for a profiler that lists each kernel: profile.sh starts it under ncu.
//
//   node bench/dist/gpu/profile.js training tresnet-l:224:256      (name:pixels:batch)

import { cudaSynchronize, keep, noGrad, randn, setCudnnBenchmark, setTf32, tidy } from '@anyclass/torch';
import { foldBatchNorm, isNetworkName } from 'anyclass/networks';
import { targets, trainer } from '../networks/step.js';

const [mode = 'training', task = 'tresnet-l:224:256'] = process.argv.slice(2);
const [name = '', pixels = '224', batch = '256'] = task.split(':');
if (!isNetworkName(name)) throw new RangeError(`there is no network '${name}'`);

setCudnnBenchmark(true);
setTf32(true);
const device = 'cuda';
const size = [Number(batch), 3, Number(pixels), Number(pixels)] as const;
const images = keep(tidy(() => randn(size, { device }).to({ memoryFormat: 'channelsLast' })));
const labels = keep(tidy(() => targets(Number(batch)).to(device)));
const { network, step } = trainer(name, { device, inputSize: Number(pixels), mixedPrecision: true });
const run = mode === 'training' ? () => void step(images, labels) : prediction();

// The last two rounds have the same kernels: cuDNN has chosen its algorithms by then.
for (let i = 0; i < 3; i++) {
  tidy(run);
  cudaSynchronize();
}

function prediction(): () => void {
  const folded = foldBatchNorm(network).to('bfloat16');
  const x = keep(images.to('bfloat16'));
  return () => void noGrad(() => folded.forward(x));
}
