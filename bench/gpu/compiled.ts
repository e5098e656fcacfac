// Every network on a GPU, ours captured beside PyTorch's eager and torch.compile, one after the other in one sitting. Appends a line of
// JSON per network to a file as it goes, and leaves out networks that the file has, so a call can be cut short and repeated.
//
//   node bench/dist/gpu/compiled.js RESULTS.jsonl [SECONDS] [NAME:PIXELS:BATCH…]
//
// A network starts only while 60 of SECONDS (default 540) are left for it. Compiling takes 40 to 200 s of mostly one core: after 240 s the peer
// ends, and its eager rate is what remains. To compile several networks at once before anything is measured, which then reads torch's cache:
//
//   printf '%s\n' NAME:PIXELS:BATCH… | xargs -P 4 -I{} python3 bench/gpu/networks.py fill {}
//
// Those of the paper are also measured in eager mode. A side that failed is tried again by the next call, after the networks that are new. bench/gpu/peers.sh packs
// timm and torchvision for a machine that lacks them; PYTHON names another Python than python3.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [file = '', seconds = '540', ...tasks] = process.argv.slice(2);
if (file === '') throw new RangeError('usage: compiled.js RESULTS.jsonl [SECONDS] [NAME:PIXELS:BATCH…]');

/** Those that were never compared first, small before large; nobody else has the small TResNet. */
const everything = [
  ...['resnet-50', 'convnext-t', 'swin-t', 'densenet-121', 'efficientnetv2-s', 'mobilenetv3-l'],
  ...['vit-s-16', 'dinov2-s-14-reg', 'dinov3-s-16', 'deit3-s-16', 'convnextv2-t', 'dinov3-s-plus-16'],
  ...['resnet-18', 'resnet-34', 'resnet-101', 'dinov2-s-14', 'swin-s', 'convnext-s', 'convnext-b'],
  ...['deit3-b-16', 'dinov2-b-14', 'dinov2-b-14-reg', 'dinov3-b-16'],
  ...['tresnet-l', 'vit-b-16', 'maxvit-s', 'tresnet-m', 'maxvit-t', 'tresnet-xl'],
].map((name) => `${name}:224:256`);
const limits = { ours: 120, peer: 240 };
const ours = fileURLToPath(new URL('networks.js', import.meta.url));
const peer = fileURLToPath(new URL('../../gpu/networks.py', import.meta.url));

const start = performance.now();
const left = () => Number(seconds) - (performance.now() - start) / 1000;
const before = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
const linesOf = (task: string) => before.filter((line) => line.includes(`"task":${JSON.stringify(task)}`));
const isDone = (task: string) => linesOf(task).some((line) => !line.includes('"ended":"failed"'));
const open = (tasks.length > 0 ? tasks : everything).filter((task) => !isDone(task));
const newFirst = [
  ...open.filter((task) => linesOf(task).length === 0),
  ...open.filter((task) => linesOf(task).length > 0),
];

for (const task of newFirst) {
  if (left() < 60) {
    console.log(`${task}: no time left; call again with the same file`);
    break;
  }
  const own = side(process.execPath, [ours, task], Math.min(limits.ours, left()));
  const modes = /^(tresnet|maxvit|vit-b-16)/.test(task) ? 'channels-last,compile' : 'compile';
  const other = side(
    process.env['PYTHON'] ?? 'python3',
    [peer, modes, task],
    Math.min(limits.peer, Math.max(30, left())),
  );
  const line = { task, ours: own, peer: other, ratios: ratiosOf(own.rates, other.rates) };
  const isCutShort = left() <= 0 && [own, other].some(({ ended }) => ended === 'stopped');
  // What the clock cut short is measured again.
  if (!isCutShort) appendFileSync(file, `${JSON.stringify(line)}\n`);
  console.log(JSON.stringify({ task, ...line.ratios, ended: [own.ended, other.ended] }));
  for (const { ended, error } of [own, other]) if (ended === 'failed') console.log(error);
}

interface Side {
  readonly ended: 'whole' | 'stopped' | 'failed';
  readonly seconds: number;
  readonly rates: Readonly<Record<string, number>>;
  /** The end of what it printed, if it failed. */
  readonly error?: string;
}

/** Runs a program that prints `title: value` for each result, and keeps those that it printed in time. */
function side(program: string, parameters: readonly string[], limit: number): Side {
  const begun = performance.now();
  const { stdout, stderr, status, signal, error } = spawnSync(program, parameters, {
    encoding: 'utf8',
    timeout: Math.round(1000 * limit),
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  });
  if (error && !signal) throw error;
  const lines = [...stdout.matchAll(/^[\w-]+ at \d+ px, (.+): ([\d.e+-]+)$/gm)];
  return {
    ended: status === 0 ? 'whole' : signal ? 'stopped' : 'failed',
    seconds: Math.round((performance.now() - begun) / 1000),
    rates: Object.fromEntries(lines.map(([, title = '', value]) => [title, Number(value)])),
    ...(status !== 0 && { error: stderr.slice(-600) }),
  };
}

/** Our rates over the peer's; more is better. */
function ratiosOf(own: Side['rates'], other: Side['rates']): Record<string, number> {
  const ratios: Record<string, number> = {};
  for (const kind of ['training', 'inference']) {
    for (const mode of ['compile', 'channels-last']) {
      const [mine, theirs] = [own[`${kind} (images/s)`], other[`${mode}, ${kind} (images/s)`]];
      if (mine && theirs) ratios[`${kind} beside ${mode}`] = Number((mine / theirs).toFixed(3));
    }
  }
  return ratios;
}
