// Loads the addon in four worker threads at once and computes in each; then terminates four more in the middle of work.

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { liveTensors, rand, tensor, tidy } from '@anyclass/torch';

if (isMainThread) await main();
else work();

async function main(): Promise<void> {
  const numbers = [1, 2, 3, 4];
  const results = await Promise.all(numbers.map((number) => answer(start(number, false))));
  const restless = numbers.map((number) => start(number, true));
  await Promise.all(restless.map(answer));
  // They keep multiplying until their threads are terminated.
  await Promise.all(restless.map((worker) => worker.terminate()));
  const mine = tensor([1, 2, 3]).sum(null).item();
  process.stdout.write(JSON.stringify({ results, mine, live: liveTensors() }));
}

function work(): void {
  const { number, forever } = workerData;
  const product = tidy(() =>
    tensor([[number, 2]])
      .matmul(tensor([[1], [number]]))
      .item(),
  );
  const x = rand([200, 200]);
  x.requiresGrad = true;
  for (let i = 0; i < 10; i++) tidy(() => x.matmul(x).sum(null).backward());
  parentPort?.postMessage(product);
  while (forever) tidy(() => x.matmul(x).sum(null).backward());
}

function start(number: number, forever: boolean): Worker {
  return new Worker(new URL(import.meta.url), { workerData: { number, forever } });
}

function answer(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
