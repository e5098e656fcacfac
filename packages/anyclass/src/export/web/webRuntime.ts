// Finds the files of onnxruntime-web that a page needs where npm installed them.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { UserError } from '../../errors/userError.js';

/** The runtime for browsers with a GPU, and the smaller one for those without. */
const fileNames = [
  'ort.webgpu.min.mjs',
  'ort-wasm-simd-threaded.asyncify.mjs',
  'ort-wasm-simd-threaded.asyncify.wasm',
  'ort.wasm.min.mjs',
  'ort-wasm-simd-threaded.mjs',
  'ort-wasm-simd-threaded.wasm',
];

/**
 * Returns the paths of the files.
 *
 * @throws UserError if onnxruntime-web is not installed or lacks one of the files
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
      "onnxruntime-web is not installed, but the page needs it to run the model; run 'npm install onnxruntime-web'",
    );
  }
}
