import { findAdapter, type OnnxRuntime, openPredictor, type Predictor } from '@anyclass/browser';

/**
 * Loads the runtime that suits this browser, and the model. Without a GPU, the CPU-only runtime is enough,
 * which is half the size.
 *
 * @example
 * const predictor = await loadPredictor(progress, stage);
 */
export async function loadPredictor(progress: HTMLProgressElement, stage: HTMLElement): Promise<Predictor> {
  // `?backend=wasm` in the page's address disables the GPU.
  const isCpuChosen = new URLSearchParams(location.search).get('backend') === 'wasm';
  const hasGpu = !isCpuChosen && (await findAdapter()) !== undefined;
  const address = new URL(`runtime/ort.${hasGpu ? 'webgpu' : 'wasm'}.min.mjs`, document.baseURI);
  const runtime: OnnxRuntime = await import(address.href);
  runtime.env.wasm.wasmPaths = new URL('runtime/', document.baseURI).href;
  const predictor = await openPredictor('model/model.onnx', {
    runtime,
    backends: isCpuChosen ? ['wasm'] : ['webgpu', 'wasm'],
    onProgress(loaded, total) {
      const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
      if (total !== undefined) {
        progress.max = total;
        progress.value = loaded;
      }
      const isWhole = loaded === total;
      if (isWhole) progress.removeAttribute('value');
      stage.textContent = isWhole
        ? 'Starting the model…'
        : `Loading the model: ${megabytes(loaded)}${total === undefined ? '' : ` of ${megabytes(total)}`} MB`;
    },
  });
  return predictor;
}
