// This process's rank and the number of processes, from the launcher's environment variables. torchrun, Kubernetes'
// PyTorchJob and users set RANK and WORLD_SIZE; Slurm's srun sets its own variables; an indexed Kubernetes Job sets
// JOB_COMPLETION_INDEX next to WORLD_SIZE.

import { dirname } from 'node:path';

export interface LaunchEnvironment {
  readonly rank: number;
  readonly worldSize: number;
  /** Rank among the processes on this machine. */
  readonly localRank: number;
  readonly localWorldSize: number;
  readonly masterAddress: string;
  readonly masterPort: number;
  /** Set under torchrun, which serves the store itself. */
  readonly agent?: {
    /** Prefix of the store keys that belong to this attempt of the job. */
    readonly prefix: string;
    /** A folder on this machine that only this attempt uses. */
    readonly folder: string | undefined;
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

const defaultPort = 29500;

/**
 * Reads this process's place among the ranks from the environment; undefined if no launcher started it.
 *
 * @example
 * launchEnvironment({ RANK: '1', WORLD_SIZE: '2' })
 * // { rank: 1, worldSize: 2, localRank: 1, localWorldSize: 2, masterAddress: '127.0.0.1', masterPort: 29500 }
 */
export function launchEnvironment(variables: Variables = process.env): LaunchEnvironment | undefined {
  if (variables['RANK'] !== undefined || variables['WORLD_SIZE'] !== undefined) return fromRank(variables);
  // Only srun sets this. A batch script without srun sees the job's other variables too.
  if (variables['SLURM_STEP_NUM_TASKS'] !== undefined) return fromSlurm(variables);
  return undefined;
}

function fromRank(variables: Variables): LaunchEnvironment {
  const worldSize = wholeNumber(variables, 'WORLD_SIZE', { least: 1 });
  const isIndexedJob = variables['RANK'] === undefined && variables['JOB_COMPLETION_INDEX'] !== undefined;
  const rank = wholeNumber(variables, isIndexedJob ? 'JOB_COMPLETION_INDEX' : 'RANK', {
    most: worldSize - 1,
  });
  // Without an address, all processes are on this machine.
  const onOneMachine = variables['MASTER_ADDR'] === undefined;
  const localWorldSize = wholeNumber(variables, 'LOCAL_WORLD_SIZE', {
    least: 1,
    most: worldSize,
    otherwise: onOneMachine ? worldSize : 1,
  });
  const localRank = wholeNumber(variables, 'LOCAL_RANK', { otherwise: onOneMachine ? rank : 0 });
  return {
    rank,
    worldSize,
    localRank,
    localWorldSize: Math.max(localWorldSize, localRank + 1),
    masterAddress: variables['MASTER_ADDR'] ?? '127.0.0.1',
    masterPort: wholeNumber(variables, 'MASTER_PORT', { least: 1, most: 65_535, otherwise: defaultPort }),
    ...(variables['TORCHELASTIC_USE_AGENT_STORE'] === 'True' && { agent: torchrunOf(variables) }),
  };
}

function torchrunOf(variables: Variables): NonNullable<LaunchEnvironment['agent']> {
  const errorFile = variables['TORCHELASTIC_ERROR_FILE']; // FOLDER/attempt_0/RANK/error.json
  return {
    prefix: `/worker/attempt_${variables['TORCHELASTIC_RESTART_COUNT'] ?? 0}`,
    folder: errorFile && dirname(dirname(errorFile)),
  };
}

function fromSlurm(variables: Variables): LaunchEnvironment {
  const worldSize = wholeNumber(variables, 'SLURM_STEP_NUM_TASKS', { least: 1 });
  const nodes = variables['SLURM_STEP_NODELIST'] ?? variables['SLURM_JOB_NODELIST'];
  const localRank = wholeNumber(variables, 'SLURM_LOCALID', {});
  return {
    rank: wholeNumber(variables, 'SLURM_PROCID', { most: worldSize - 1 }),
    worldSize,
    localRank,
    localWorldSize: Math.max(localRank + 1, tasksOnNode(variables, worldSize)),
    masterAddress: variables['MASTER_ADDR'] ?? firstNode(nodes ?? '127.0.0.1'),
    // Jobs that share a machine get different ports.
    masterPort: wholeNumber(variables, 'MASTER_PORT', {
      least: 1,
      most: 65_535,
      otherwise: 15_000 + (Number(variables['SLURM_JOB_ID'] ?? 0) % 10_000),
    }),
  };
}

/** Parses '4(x2),3', which has one entry per node, in node order. */
function tasksOnNode(variables: Variables, worldSize: number): number {
  const text = variables['SLURM_STEP_TASKS_PER_NODE'];
  if (text === undefined) return worldSize;
  const counts = text.split(',').flatMap((part) => {
    const [, count, times = '1'] = /^(\d+)(?:\(x(\d+)\))?$/.exec(part) ?? [];
    return Array<number>(Number(times)).fill(Number(count ?? 1));
  });
  return counts[Number(variables['SLURM_NODEID'] ?? 0)] ?? 1;
}

/** Returns the first node of a Slurm node list: gpu07 for 'gpu[07-12,20],login1'. */
function firstNode(list: string): string {
  const [, name = list, first = ''] = /^([^[,]+)(?:\[(\d+))?/.exec(list) ?? [];
  return `${name}${first}`;
}

function wholeNumber(
  variables: Variables,
  name: string,
  {
    least = 0,
    most = Number.MAX_SAFE_INTEGER,
    otherwise,
  }: { least?: number; most?: number; otherwise?: number },
): number {
  const text = variables[name];
  if (text === undefined && otherwise !== undefined) return otherwise;
  const value = Number(text);
  if (text === undefined || text.trim() === '' || !Number.isInteger(value) || value < least || value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
    throw new RangeError(
      `environment variable ${name} is ${text ?? 'not set'}; expected a whole number ${range}`,
    );
  }
  return value;
}
