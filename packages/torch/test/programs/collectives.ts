// One rank of a group: each scenario prints what this rank saw as JSON.

import { distributed, nn, noGrad, ones, tensor, zeros } from '@anyclass/torch';

const [scenario = '', meet = 'env://'] = process.argv.slice(2);

const scenarios: Record<string, () => Promise<unknown>> = {
  async collectives() {
    using group = await distributed.init({ meet });
    const { rank, worldSize } = group;
    const sum = group.allReduce(tensor([rank + 1, 10]));
    const largest = group.allReduce(tensor([rank, -rank]), { operation: 'max' });
    const told = group.broadcast(tensor([rank * 7]), { source: worldSize - 1 });
    const gathered = group.allGather(tensor(BigInt64Array.of(BigInt(rank), 5n)));
    const scattered = group.reduceScatter(Array.from({ length: worldSize }, (_, i) => tensor([i, rank])));
    await group.barrier().finished();
    group.leaveNote(`from ${rank}`, `rank ${rank} says é`);
    group.barrier().wait();
    const notes = [group.note(`from ${worldSize - 1}`), group.note('of nobody')];
    // The store is in rank 0, which must not exit before the others have read their notes.
    group.barrier().wait();
    return {
      rank,
      worldSize,
      backend: group.backend,
      sum: (await sum.finished()).toArray(),
      largest: largest.wait().toArray(),
      told: told.wait().toArray(),
      gathered: gathered.wait().map((part) => Array.from(part.toTypedArray(), Number)),
      scattered: scattered.wait().toArray(),
      notes,
      refused: [
        thrown(() => group.allReduce(ones([4, 4]).at(null, 0).expand([3, 4]))),
        thrown(() => group.broadcast(zeros([1]), { source: worldSize })),
      ],
    };
  },

  async gradients() {
    using group = await distributed.init();
    const { rank, worldSize } = group;
    const layers = Array.from({ length: 6 }, () => new nn.Linear(16, 16));
    const unused = new nn.Linear(4, 4);
    const parameters = [...layers, unused].flatMap((layer) => layer.parameters());
    for (const [i, parameter] of parameters.entries()) noGrad(() => parameter.detach().fill_((i - 5) / 40));
    using buckets = new distributed.GradientBuckets(group, parameters, { bytes: 2100, firstBytes: 100 });
    const input = (row: number) => tensor([Array.from({ length: 16 }, (_, j) => Math.sin(row * 16 + j))]);
    const loss = (row: number) =>
      layers
        .reduce((x, layer) => layer.forward(x).tanh(), input(row))
        .pow(2)
        .sum(null);
    const gradients = () => parameters.map((parameter) => [...(parameter.grad?.toFloat32Array() ?? [])]);
    // Two rows per rank; the gradients of the first are not communicated.
    for (let step = 0; step < 2; step++) {
      for (const parameter of parameters) parameter.grad = null;
      loss(rank * 2).backward();
      buckets.prepare();
      loss(rank * 2 + 1).backward();
      buckets.finish();
    }
    const summed = gradients();
    for (const parameter of parameters) parameter.grad = null;
    for (let row = 0; row < worldSize * 2; row++) loss(row).backward();
    const alone = gradients();
    const error = Math.max(
      ...alone.flatMap((values, i) => values.map((value, j) => Math.abs(value - summed[i]![j]!))),
    );
    const largest = Math.max(...alone.flat().map(Math.abs));
    return {
      error: error / largest,
      sizes: buckets.sizes,
      unused: summed
        .slice(-2)
        .flat()
        .every((x) => x === 0),
    };
  },

  /** The last rank is killed, or stays silent until rank 0 has exited. */
  async failing() {
    const group = await distributed.init({ timeoutSeconds: 8 });
    group.allReduce(ones([3])).wait();
    if (group.rank === group.worldSize - 1) {
      if (meet === 'killed') process.kill(process.pid, 'SIGKILL');
      await new Promise((resolve) => process.stdin.resume().once('end', resolve));
      return {};
    }
    const error = await group
      .allReduce(ones([3]))
      .finished()
      .then(
        () => undefined,
        (reason) => reason,
      );
    return described(error);
  },

  async missing() {
    return distributed.init({ timeoutSeconds: 2 }).then(() => ({}), described);
  },
};

function described(error: unknown): object {
  if (!(error instanceof distributed.DistributedError)) return { error: String(error) };
  const { rank, worldSize, operation, reason, message } = error;
  return { rank, worldSize, operation, reason, message };
}

function thrown(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const result = await scenarios[scenario]?.();
// Flushed before exiting, since some scenarios end with connections open.
process.stdout.write(JSON.stringify(result), () => process.exit(0));
