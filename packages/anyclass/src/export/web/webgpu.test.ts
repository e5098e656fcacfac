// Runs every operator of exported networks on WebGPU, on Chromium's software GPU. This takes minutes per
// network, so only `npm run test:webgpu` does it.

import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nn, setSeed } from '@anyclass/torch';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { graphBytes } from '../../../test/onnxFunction.js';
import { chromiumNeed, chromiumPath } from '../../../test/pages/browser.js';
import { type StaticHost, serveFolder } from '../../../test/pages/staticHost.js';
import { featureNetworks, type NetworkName, networkNames } from '../../networks/catalog.js';
import { createNetwork } from '../../networks/createNetwork.js';
import { foldInPlace } from '../../networks/foldBatchNorm.js';
import { networkGraph } from '../onnx/networkGraph.js';
import { inFloat16 } from '../onnx/precision/float16.js';
import { inInt8 } from '../onnx/precision/int8.js';
import { webRuntimeFiles } from './webRuntime.js';

const precisions = {
  float32: { convert: inFloat32, tolerance: 1e-3 },
  int8: { convert: inInt8, tolerance: 1e-3 },
  float16: { convert: inFloat16, tolerance: 0.05 },
};
const imageNetworks = networkNames.filter((name) => !featureNetworks.includes(name));
// The precisions to test, comma-separated.
const chosen = process.env['TEST_WEBGPU']?.split(',').filter(isPrecision) ?? [];
const cases = imageNetworks.flatMap((name) => chosen.map((kind) => [name, kind] as const));

// With the fallback to the CPU disabled, a graph is rejected if any part of it would run on the CPU.
const modelPage = `<!doctype html>
<title>WebGPU</title>
<script type="module">
import { InferenceSession, Tensor } from './ort.webgpu.min.mjs';
globalThis.hasFloat16 = async () => (await navigator.gpu.requestAdapter()).features.has('shader-f16');
globalThis.runModel = async (pixels, size) => {
  const session = await InferenceSession.create('model.onnx', {
    executionProviders: ['webgpu'],
    extra: { session: { disable_cpu_ep_fallback: '1', disable_quant_qdq: '1' } },
  });
  const input = new Tensor('float32', Float32Array.from(pixels), [2, 3, size, size]);
  const { logits } = await session.run({ pixel_values: input });
  const values = [...logits.data];
  await session.release();
  return values;
};
</script>`;

const folder = testFolder();

describe.skipIf(chromiumPath === undefined || chosen.length === 0)(
  `on WebGPU (skipped without TEST_WEBGPU)${chromiumNeed}`,
  () => {
    let browser: Browser;
    let host: StaticHost;
    let page: Page;
    beforeAll(async () => {
      for (const file of webRuntimeFiles()) copyFileSync(file, join(folder, basename(file)));
      writeFileSync(join(folder, 'index.html'), modelPage);
      host = await serveFolder(folder);
      browser = await chromium.launch({
        ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
        args: ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'],
      });
      page = await browser.newPage();
      await page.goto(host.address);
      await page.waitForFunction('typeof runModel !== "undefined"');
    }, 60_000);
    afterAll(async () => {
      await browser?.close();
      await host?.close();
    });

    test.for(cases)(
      '%s in %s runs on WebGPU without falling back to the CPU, with the same logits',
      { timeout: 600_000 },
      async ([name, kind], { skip }) => {
        // Chromium's software GPU does not support it; pages then use WebAssembly.
        if (kind === 'float16' && !(await page.evaluate<boolean>('hasFloat16()')))
          skip('this GPU does not compute in float16');
        const { convert, tolerance } = precisions[kind];
        const inputSize = name === 'vit-b-16' ? 32 : 64;
        const bytes = modelBytes(name, inputSize, convert);
        writeFileSync(join(folder, 'model.onnx'), bytes);
        const pixels = Array.from({ length: 2 * 3 * inputSize ** 2 }, (_, i) => Math.sin(i * 0.37));
        const expected = await onCpu(bytes, pixels, inputSize);
        const given = await onWebGpu(page, pixels, inputSize);
        const largest = Math.max(...expected.map(Math.abs));
        for (const [i, logit] of given.entries())
          expect(Math.abs(logit - expected[i]!)).toBeLessThan(tolerance * largest);
      },
    );
  },
);

function modelBytes(name: NetworkName, inputSize: number, convert: typeof inInt8): Uint8Array {
  setSeed(1);
  using network = createNetwork(name, {
    classes: 5,
    inputSize,
    ...(name.startsWith('maxvit') && { partitionSize: 2 }),
  });
  nn.init.normal_(network.parameters().at(-2)!, 0, 0.1);
  using exported = networkGraph(foldInPlace(network.eval()), {
    inputShape: [3, inputSize, inputSize],
    optionalOutputs: ['embedding', 'cam'],
  });
  return graphBytes(convert(exported.graph));
}

async function onCpu(bytes: Uint8Array, pixels: number[], size: number): Promise<number[]> {
  const session = await InferenceSession.create(bytes);
  const input = new Tensor('float32', Float32Array.from(pixels), [2, 3, size, size]);
  const { logits } = await session.run({ pixel_values: input });
  await session.release();
  return Array.from(logits?.data instanceof Float32Array ? logits.data : []);
}

async function onWebGpu(page: Page, pixels: number[], size: number): Promise<number[]> {
  return page.evaluate<number[]>(`runModel(${JSON.stringify(pixels)}, ${size})`);
}

function inFloat32(graph: Parameters<typeof inInt8>[0]): ReturnType<typeof inInt8> {
  return graph;
}

function isPrecision(name: string): name is keyof typeof precisions {
  return name in precisions;
}
