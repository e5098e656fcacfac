// Reports what importing the package, defining a module and making the first tensor each load, and the error if that fails.

import { readFileSync } from 'node:fs';
import { isEngineLoaded, nn, optim, tidy, zeros } from '@anyclass/torch';

class Scale extends nn.Module {
  readonly rate = 2;
}
new Scale().parameters();
tidy(() => optim.SGD);
const imported = { loaded: isEngineLoaded(), libraries: torchLibraries() };

let failure = '';
try {
  zeros([2]);
} catch (error) {
  failure = error instanceof Error ? error.message : String(error);
}
const computed = { loaded: isEngineLoaded(), libraries: torchLibraries() };
const { OMP_WAIT_POLICY: waiting, GOMP_SPINCOUNT: spins } = process.env;
console.log(JSON.stringify({ imported, computed, failure, waiting, spins }));

function torchLibraries(): number {
  const mapped = readFileSync('/proc/self/maps', 'utf8').match(/\/\S*torch\S*\.(so|node)\S*/g);
  return new Set(mapped).size;
}
