// node files.mjs [WHAT]: commands that meet files made to take all memory or time. Each ends within a minute of CPU
// time and the memory below, with a message or a result, and without a stack trace. Prints a table; exits with 1 if one did not.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, program } from '../program.mjs';
import { fileBombs } from './fileBombs.mjs';
import { exportSmallModel } from './smallModel.mjs';

const mostMegabytes = 1500;
const mostSeconds = 60;

const folder = mkdtempSync(join(tmpdir(), 'anyclass-files-'));
const wanted = process.argv[2] ?? '';
let failed = 0;
try {
  const model = await exportSmallModel(folder);
  console.log('| file | exit code | CPU, s | most memory of a process, MB | |\n|---|---|---|---|---|');
  for (const { what, words } of await fileBombs(folder, model)) {
    if (!what.includes(wanted)) continue;
    const { code, output, seconds, megabytes } = await run(words);
    const problems = [
      // 3: some images could not be read.
      ...(code === 0 || code === 1 || code === 3 ? [] : [`exit code ${code}`]),
      ...(/^\s+at .+:\d+:\d+\)?$/m.test(output) ? ['a stack trace'] : []),
      ...(seconds > mostSeconds ? ['too long'] : []),
      ...(megabytes > mostMegabytes ? ['too much memory'] : []),
    ];
    failed += problems.length;
    const said = output.trim().split('\n').at(-1)?.slice(0, 150).replaceAll(folder, '…') ?? '';
    console.log(
      `| ${what} | ${code} | ${seconds.toFixed(1)} | ${megabytes.toFixed(0)} | ${problems.length > 0 ? `**${problems.join(', ')}** ` : ''}${said} |`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failed > 0 ? 1 : 0;

/** @param {readonly string[]} words */
function run(words) {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      output = (output + part).slice(-20_000);
    });
  let [seconds, megabytes] = [0, 0];
  const timer = setInterval(() => {
    let spent = 0;
    for (const pid of [child.pid ?? 0, ...childrenOf(child.pid ?? 0)]) {
      const state = stateOf(pid);
      spent += state.seconds;
      megabytes = Math.max(megabytes, state.megabytes);
    }
    seconds = Math.max(seconds, spent);
    if (seconds > 2 * mostSeconds) child.kill('SIGKILL');
  }, 50);
  return new Promise(
    (
      /** @type {(result: { code: number | string, output: string, seconds: number, megabytes: number }) => void} */ done,
    ) => {
      child.once('close', (code, signal) => {
        clearInterval(timer);
        done({ code: code ?? String(signal), output, seconds, megabytes });
      });
    },
  );
}

/** @param {number} pid */
function stateOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const most = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return { seconds: (Number(fields[11]) + Number(fields[12])) / 100, megabytes: Number(most ?? 0) / 1024 };
  } catch {
    return { seconds: 0, megabytes: 0 };
  }
}
