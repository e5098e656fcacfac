// The models and the pictures for the serving benchmark.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nn, setSeed, type Tensor } from '@anyclass/torch';
import { exportNetwork, exportOnnx } from 'anyclass';
import { createNetwork } from 'anyclass/networks';
import { saveModel } from 'anyclass/runs';
import sharp from 'sharp';

export interface MeasuredPicture {
  readonly picture: Buffer;
  readonly pictureFile: string;
}

export interface MeasuredModel extends MeasuredPicture {
  readonly name: string;
  readonly onnx: string;
  /** The same weights for libtorch, if any. */
  readonly safetensors?: string;
}

const classes = Array.from({ length: 17 }, (_, i) => `class ${i}`);
const description = {
  classes,
  channels: 3,
  mean: [0.485, 0.456, 0.406],
  std: [0.229, 0.224, 0.225],
} as const;

/** TResNet-M on photographs of 500 x 375 pixels. */
export async function largeModel(folder: string): Promise<MeasuredModel> {
  mkdirSync(folder, { recursive: true });
  const safetensors = join(folder, 'tresnet-m.safetensors');
  const onnx = join(folder, 'tresnet-m', 'tresnet-m.onnx');
  if (!existsSync(onnx)) {
    setSeed(1);
    using network = createNetwork('tresnet-m', { classes: 17, inputSize: 224 });
    saveModel(safetensors, {
      network,
      description: { ...description, epoch: 1, loss: 'bce', dataset: 'none' },
    });
    await exportOnnx(safetensors, { out: onnx });
  }
  return { name: 'tresnet-m', onnx, safetensors, ...(await photographOf(folder, 500, 375)) };
}

/** A network of two layers on 32 x 32 pixels, well under a millisecond per image, on pictures of 96 x 96. */
export async function smallModel(folder: string): Promise<MeasuredModel> {
  mkdirSync(folder, { recursive: true });
  const onnx = join(folder, 'small', 'small.onnx');
  if (!existsSync(onnx)) {
    setSeed(1);
    using network = new SmallNetwork();
    await exportNetwork(network, { description, inputSize: 32, out: onnx });
  }
  return { name: 'small', onnx, ...(await photographOf(folder, 96, 96)) };
}

class SmallNetwork extends nn.Module {
  readonly conv = new nn.Conv2d(3, 16, { kernel: 4, stride: 4 });
  readonly fc = new nn.Linear(16 * 64, 17);

  forward(images: Tensor): Tensor {
    return this.fc.forward(this.conv.forward(images).relu().flatten(1));
  }
}

/** Spots of color with some grain; the file is about as large as a photograph of that size. */
export async function photographOf(folder: string, width: number, height: number): Promise<MeasuredPicture> {
  const [w, h] = [16, 12];
  const spots = Buffer.from(Array.from({ length: w * h * 3 }, (_, i) => (i * i * 37 + i * 11) % 256));
  const grain = Buffer.from(
    Array.from({ length: width * height * 3 }, (_, i) => 118 + ((((i * 2654435761) >>> 7) ^ i) % 21)),
  );
  const ground = await sharp(spots, { raw: { width: w, height: h, channels: 3 } })
    .resize(width, height, { kernel: 'cubic', fit: 'fill' })
    .png()
    .toBuffer();
  const picture = await sharp(ground)
    .composite([{ input: grain, raw: { width, height, channels: 3 }, blend: 'overlay' }])
    .jpeg({ quality: 85 })
    .toBuffer();
  const pictureFile = join(folder, `photograph-${width}.jpg`);
  writeFileSync(pictureFile, picture);
  return { picture, pictureFile };
}
