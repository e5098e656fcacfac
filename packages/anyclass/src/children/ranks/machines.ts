// Runs ranks on several machines. Each machine has its own launcher, an agent started over a remote shell. If
// the ranks on one machine fail, all machines stop and its message is reported.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../errors/usageError.js';
import { waitingForWork } from '../receivedWork.js';
import type { RankPlaces, RankWork, WorkMessage } from '../work.js';
import { agentReader, stopWord } from './agent.js';
import { allEnded } from './allEnded.js';
import { graceMilliseconds, type LaunchOptions, restarting } from './launch.js';
import { publicAddress } from './publicAddress.js';
import type { LaunchOutcome } from './rankEnds.js';
import type { RankFailure } from './rankFailure.js';
import { keptLines, type RankEnd } from './rankProcess.js';
import type { ResumedWork } from './resumedWork.js';

export interface MachinesOptions extends Omit<LaunchOptions, 'places'> {
  /** Host names for the remote shell; all ranks connect to the first one. */
  readonly machines: readonly string[];
  /** Processes per machine. */
  readonly processes: number;
  /** A program with its options, such as `ssh -p 2222`. */
  readonly remoteShell: string;
}

interface Agent {
  readonly number: number;
  readonly machine: string;
  readonly child: ChildProcess;
  readonly ended: Promise<RankEnd>;
}

const program = fileURLToPath(new URL('../../../bin/anyclass.js', import.meta.url));

/**
 * Runs the ranks on all machines until they exit, including restarts.
 *
 * @example
 * await launchMachines({ work: { kind: 'train', run: { configuration }, json: false }, machines: ['node1', 'node2'], processes: 8, remoteShell: 'ssh', … });
 */
export async function launchMachines(options: MachinesOptions): Promise<LaunchOutcome> {
  checkMachines(options.machines);
  const first = (options.machines[0] ?? '').replace(/^.*@/, '');
  const address = await publicAddress(first);
  if (address !== undefined) {
    options.note(
      `Warning: ${first} has the public address ${address}; ranks do not authenticate each other, so use a private network`,
    );
  }
  return restarting(options, (work) => attempt(options, work));
}

function checkMachines(machines: readonly string[]): void {
  const twice = machines.find((name, i) => machines.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`${twice} is named twice`, 'machines');
  if (machines.includes('')) throw new UsageError('a name is empty; expected host1,host2', 'machines');
  const isLoopback = (name = '') => /^(.*@)?(localhost|127\..*)$/.test(name);
  if (isLoopback(machines[0]) && !machines.every((name) => isLoopback(name)))
    throw new UsageError(
      `the others cannot reach ${machines[0]}; use a name of the first machine that they can reach`,
      'machines',
    );
}

async function attempt(options: MachinesOptions, work: ResumedWork): Promise<LaunchOutcome> {
  const { machines, processes, signal, kill } = options;
  const rankWork = work.next();
  // In this range, ports are neither reserved nor assigned to outgoing connections.
  const masterPort = randomInt(20_000, 32_768);
  const masterAddress = (machines[0] ?? '').replace(/^.*@/, '');
  const worldSize = machines.length * processes;
  const agents = machines.map((machine, number) =>
    startAgent(options, rankWork, work, {
      number,
      machine,
      places: { first: number * processes, processes, worldSize, masterAddress, masterPort },
    }),
  );
  const stop = () => agents.forEach(({ child }) => void child.stdin?.write(`${stopWord}\n`));
  const end = () => agents.forEach(hangUp);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  kill.addEventListener('abort', end);
  try {
    return await allEnded(agents, {
      // Twice the time, because agents wait for their own ranks first.
      graceMilliseconds: 2 * graceMilliseconds,
      numberOf: ({ number }) => number,
      end: hangUp,
    });
  } finally {
    signal.removeEventListener('abort', stop);
    kill.removeEventListener('abort', end);
  }
}

/** An agent stops its ranks when its input closes, which also happens if its remote shell goes away. */
function hangUp({ child }: Agent): void {
  child.stdin?.destroy();
  child.kill('SIGTERM');
}

function startAgent(
  { remoteShell, timeoutSeconds, isDebugging }: MachinesOptions,
  work: RankWork,
  resumed: ResumedWork,
  { number, machine, places }: Pick<Agent, 'number' | 'machine'> & { readonly places: RankPlaces },
): Agent {
  const message: WorkMessage = {
    kind: 'work',
    work: { kind: 'agent', places, timeoutSeconds, work },
    isDebugging,
  };
  const environment = [...passedOn(), ...Object.entries(waitingForWork('input'))];
  const [file, args] = commandOn(machine, remoteShell, [
    'env',
    ...environment.map(([name, value]) => `${name}=${value}`),
    process.execPath,
    program,
    'launch',
  ]);
  const child = spawn(file, args, {
    stdio: ['pipe', number === 0 ? 'inherit' : 'ignore', 'pipe'],
    detached: true,
  });
  child.stdin?.on('error', () => {}); // its exit is reported anyway
  child.stdin?.write(`${JSON.stringify(message)}\n`);
  let failure: RankFailure | undefined;
  let printed = '';
  child.stderr?.on(
    'data',
    agentReader(
      (said) => {
        if (said.kind === 'event') resumed.listen(said.event);
        else failure = said;
      },
      (text) => {
        if (number === 0) process.stderr.write(text);
        else printed = `${printed}${text}`.slice(-4000);
      },
    ),
  );
  const ended = new Promise<RankEnd>((resolve) => {
    const end = (code: number | null, by: NodeJS.Signals | null) =>
      resolve({
        rank: number,
        name: `the launcher on ${machine}`,
        pid: child.pid,
        code,
        signal: by,
        at: performance.now(),
        failure,
        lastLines: printed.trimEnd().split('\n').slice(-keptLines).filter(Boolean),
      });
    child.once('error', (error) => {
      printed = `cannot run '${file}': ${error.message}`;
      end(1, null);
    });
    child.once('close', end);
  });
  return { number, machine, child, ended };
}

/** This machine needs no remote shell. */
function commandOn(machine: string, remoteShell: string, words: readonly string[]): [string, string[]] {
  const line = `cd ${quoted(process.cwd())} && exec ${words.map(quoted).join(' ')}`;
  if (machine === hostname() || machine === 'localhost') return ['sh', ['-c', line]];
  const [file = 'ssh', ...own] = remoteShell.split(' ').filter(Boolean);
  return [file, [...own, machine, line]];
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Variables about computation and communication, which a remote shell does not forward by itself. */
function passedOn(): [string, string][] {
  return Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && /^(ANYCLASS|GLOO|NCCL|TORCH|LIBTORCH|OMP|HF)_|^LIBTORCH$/.test(name)
      ? [[name, value]]
      : [],
  );
}
