import { join } from 'node:path';
import { nn, setSeed } from '@anyclass/torch';
import { exportNetwork } from '../../dist/index.js';
import { fixedDecision } from '../../dist/inference/modelDecision.js';

class SmallNetwork extends nn.Module {
  conv = new nn.Conv2d(3, 16, { kernel: 4, stride: 4 });
  fc = new nn.Linear(16 * 64, 2);

  /** @param {import('@anyclass/torch').Tensor} images */
  forward(images) {
    return this.fc.forward(this.conv.forward(images).relu().flatten(1));
  }
}

/** Writes a model that takes well under a millisecond, and returns its path. @param {string} folder */
export async function exportSmallModel(folder) {
  const out = join(folder, 'model.onnx');
  setSeed(1);
  const classes = ['crack', 'roots'];
  await exportNetwork(new SmallNetwork(), {
    description: { classes, channels: 3, mean: [0.5], std: [0.25], decision: fixedDecision(classes, 0.3) },
    inputSize: 32,
    out,
  });
  return out;
}
