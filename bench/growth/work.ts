// One piece of work of bench:growth in a process of its own: `work.js KIND SIZE [FILE]` prints its processor time in seconds.

import { anyClassLoss as coreLoss, fitDecision, measure } from '@anyclass/core';
import { randn, setThreadCount, tidy, zeros } from '@anyclass/torch';
import { openDataset } from 'anyclass/data';
import { anyClassLoss, namedLoss } from 'anyclass/losses';
import { createNetwork } from 'anyclass/networks';
import { mostlyNegative, replicateSeconds } from '../core/decisionBench.js';

const CLASSES = 17;
/** Rows where classes grow: enough that each class has a positive. */
const ROWS = 4096;
const BATCH = 16;

const [kind = '', size = '', file = ''] = process.argv.slice(2);
const count = Number(size);
console.log(JSON.stringify({ seconds: await costOf(kind) }));

async function costOf(kind: string): Promise<number> {
  switch (kind) {
    case 'index':
      return elapsed(() => openDataset(file));
    case 'comparison':
      return replicateSeconds(count / 2, CLASSES, {}, count > 1e6 ? 2 : 5);
    case 'metrics': {
      const scored = mostlyNegative(ROWS, count, 'test', 2.5);
      return elapsed(() => measure(scored));
    }
    case 'decision': {
      const scored = mostlyNegative(ROWS, count, 'validation', 2.5);
      return elapsed(() => fitDecision(scored, {}));
    }
    case 'loss': {
      const { scores, targets } = mostlyNegative(256, count, 'test', 2.5);
      const step = () => coreLoss(scores, targets, { classes: count, base: 'bce' });
      return perCall(step);
    }
    case 'fused loss': {
      setThreadCount(1);
      const targets = zeros([256, count]);
      const logits = randn([256, count], { requiresGrad: true });
      const step = () => tidy(() => anyClassLoss(logits, targets, namedLoss('any-bce')).backward());
      return perCall(step);
    }
    case 'linear head':
      return headCost('linear');
    case 'ML-Decoder head':
      return headCost('ml-decoder');
    default:
      throw new Error(`unknown kind of work: ${kind}`);
  }
}

/** A forward and backward pass of the head of ResNet-50 on 7x7 maps. */
function headCost(head: 'linear' | 'ml-decoder'): Promise<number> {
  setThreadCount(1);
  const network = createNetwork('resnet-50', { classes: count, head });
  const maps = randn([BATCH, 2048, 7, 7]);
  return perCall(() => tidy(() => network.forwardHead(maps).sum().backward()));
}

/** Processor time of one of several calls, after one that does not count. */
async function perCall(call: () => unknown): Promise<number> {
  const calls = 5;
  call();
  return (
    (await elapsed(() => {
      for (let i = 0; i < calls; i++) call();
    })) / calls
  );
}

async function elapsed(call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
