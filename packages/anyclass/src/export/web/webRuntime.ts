// The files of onnxruntime-web that a page needs, from where npm put them.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { UserError } from '../../errors/userError.js';

/** For browsers with a GPU, and the smaller one for those without. */
const fileNames = [
  'ort.webgpu.min.mjs',
  'ort-wasm-simd-threaded.asyncify.mjs',
  'ort-wasm-simd-threaded.asyncify.wasm',
  'ort.wasm.min.mjs',
  'ort-wasm-simd-threaded.mjs',
  'ort-wasm-simd-threaded.wasm',
];

/**
 * The paths of the files.
 *
 * @throws UserError where onnxruntime-web is not installed, or has other files than we know
 *
 * @example
 * webRuntimeFiles()[0] // '/…/node_modules/onnxruntime-web/dist/ort.webgpu.min.mjs'
 */
export function webRuntimeFiles(): string[] {
  const folder = runtimeFolder();
  const files = fileNames.map((name) => join(folder, name));
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined)
    throw new UserError(`${missing} does not exist; install onnxruntime-web 1.24 or newer`);
  return files;
}

function runtimeFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('onnxruntime-web'));
  } catch {
    throw new UserError(
      "onnxruntime-web is not installed, and the page runs the model with it; run 'npm install onnxruntime-web'",
    );
  }
}
