// Sets up a checkout so that everything runs: the npm packages, the TypeScript build, and what `anyclass setup` does on any
// machine. Needs only Node until the packages are installed. Skips what is already done.

import { bundleProgram } from './bundle.mjs';
import { installChromiumForTests } from './chromium.mjs';
import { buildTypeScript, installPackages } from './javascript.mjs';
import { run, SetupError } from './shell.mjs';
import { buildStudio } from './studio.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

try {
  if (major < 20 || (major === 20 && minor < 15))
    throw new SetupError(`Node ${process.versions.node} is too old: anyclass needs Node 20.15 or newer`);
  installPackages();
  buildTypeScript();
  await bundleProgram();
  await buildStudio();
  run(process.execPath, ['packages/anyclass/bin/anyclass.js', 'setup']);
  installChromiumForTests();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`setup: ${error.message}`);
  process.exitCode = 1;
}
