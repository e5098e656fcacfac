// Before tests: brings the build up to date, so that no program or worker that a test starts is older than its source. Nothing to do takes two seconds.

import { bundleProgram } from './bundle.mjs';
import { buildTypeScript } from './javascript.mjs';
import { buildStudio } from './studio.mjs';

export async function setup(): Promise<void> {
  buildTypeScript();
  await bundleProgram();
  await buildStudio();
}
