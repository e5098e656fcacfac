// The scripts of the page that runs a model, without the model and the runtime.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bundle } from '../../pages/bundle.js';

/** The bundled scripts; `service-worker.js` is completed for each model. */
export type WebPage = z.output<typeof webPage>;

const webPage = z.object({
  'app.js': z.string(),
  'service-worker.js': z.string(),
});

// Packing writes the files here. A checkout does not have them and bundles its sources instead, so they are
// never outdated.
export const packedPage = fileURLToPath(new URL('../../../dist/export/web/page.json', import.meta.url));

/** Reads the packed page or, in a checkout, bundles it. */
export async function readWebPage(): Promise<WebPage> {
  if (existsSync(packedPage)) return webPage.parse(JSON.parse(await readFile(packedPage, 'utf8')));
  return bundleWebPage();
}

/** Stands for the version of an exported folder, which is known only when a model is exported. */
export const versionPlaceholder = '{{version}}';

/** Bundles the sources; needs esbuild. */
export async function bundleWebPage(): Promise<WebPage> {
  // This path is right from src, dist and the bundle.
  const sources = fileURLToPath(new URL('../../../src/export/web/page', import.meta.url));
  const [script, worker] = await Promise.all([
    bundle(join(sources, 'main.ts'), { external: ['onnxruntime-web'] }),
    bundle(join(sources, 'serviceWorker.ts'), {
      define: {
        __VERSION__: JSON.stringify(versionPlaceholder),
        __PAGE_FILES__: JSON.stringify(['./', 'app.js']),
      },
    }),
  ]);
  return { 'app.js': script, 'service-worker.js': worker };
}
