// Brings a fresh clone to where everything runs: npm packages, libtorch, the native libraries, the built TypeScript.
// Uses Node's own modules only, since nothing else is there yet. What is in place already is left alone.

import { buildAddon } from './addon.mjs';
import { installChromiumForTests } from './chromium.mjs';
import { buildFusedLibrary } from './fusedLibrary.mjs';
import { buildImagesLibrary } from './imagesLibrary.mjs';
import { buildTypeScript, installPackages } from './javascript.mjs';
import { findOrInstallLibtorch } from './libtorch.mjs';
import { SetupError } from './shell.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

try {
  if (major < 20 || (major === 20 && minor < 15))
    throw new SetupError(`Node ${process.versions.node} is too old: anyclass needs Node 20.15 or newer`);
  installPackages();
  const libtorch = findOrInstallLibtorch();
  await buildAddon(libtorch);
  await buildFusedLibrary(libtorch);
  await buildImagesLibrary();
  buildTypeScript();
  installChromiumForTests();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`setup: ${error.message}`);
  process.exitCode = 1;
}
