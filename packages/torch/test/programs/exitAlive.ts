// Exits while tensors, a graph and an unfinished tidy are alive: by process.exit, or by running out of work.

import { ones, tidy } from '@anyclass/torch';

const x = ones([100, 100], { requiresGrad: true });
const y = x.matmul(x).sum(null);
y.backward(null, { retainGraph: true });
process.stdout.write('alive');
tidy(() => {
  x.mul(2);
  if (process.argv[2] === 'exit') process.exit(0);
});
