// Which of how many processes this one is, as launchers tell it: torchrun, Kubernetes' PyTorchJob and people by RANK and
// WORLD_SIZE, Slurm's srun by variables of its own, an indexed Job of Kubernetes by JOB_COMPLETION_INDEX beside WORLD_SIZE.

import { dirname } from 'node:path';

export interface LaunchEnvironment {
  readonly rank: number;
  readonly worldSize: number;
  /** Among the processes of this machine. */
  readonly localRank: number;
  readonly localWorldSize: number;
  readonly masterAddress: string;
  readonly masterPort: number;
  /** torchrun, which serves the store itself. */
  readonly agent?: {
    /** Of the keys that belong to this attempt of the job. */
    readonly prefix: string;
    /** A folder of this attempt alone, on this machine. */
    readonly folder: string | undefined;
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

const defaultPort = 29500;

/**
 * What the environment says about this process; undefined where no launcher started it.
 *
 * @example
 * launchEnvironment({ RANK: '1', WORLD_SIZE: '2' })
 * // { rank: 1, worldSize: 2, localRank: 1, localWorldSize: 2, masterAddress: '127.0.0.1', masterPort: 29500 }
 */
export function launchEnvironment(variables: Variables = process.env): LaunchEnvironment | undefined {
  if (variables['RANK'] !== undefined || variables['WORLD_SIZE'] !== undefined) return fromRank(variables);
  // Only srun sets this; inside a batch script that runs without it, the job's other variables are there too.
  if (variables['SLURM_STEP_NUM_TASKS'] !== undefined) return fromSlurm(variables);
  return undefined;
}

function fromRank(variables: Variables): LaunchEnvironment {
  const worldSize = wholeNumber(variables, 'WORLD_SIZE', { least: 1 });
  const isIndexedJob = variables['RANK'] === undefined && variables['JOB_COMPLETION_INDEX'] !== undefined;
  const rank = wholeNumber(variables, isIndexedJob ? 'JOB_COMPLETION_INDEX' : 'RANK', {
    most: worldSize - 1,
  });
  // Without an address all processes are on this machine.
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
    // Jobs that share a machine get ports of their own.
    masterPort: wholeNumber(variables, 'MASTER_PORT', {
      least: 1,
      most: 65_535,
      otherwise: 15_000 + (Number(variables['SLURM_JOB_ID'] ?? 0) % 10_000),
    }),
  };
}

/** '4(x2),3' has an entry for each node, in their order. */
function tasksOnNode(variables: Variables, worldSize: number): number {
  const text = variables['SLURM_STEP_TASKS_PER_NODE'];
  if (text === undefined) return worldSize;
  const counts = text.split(',').flatMap((part) => {
    const [, count, times = '1'] = /^(\d+)(?:\(x(\d+)\))?$/.exec(part) ?? [];
    return Array<number>(Number(times)).fill(Number(count ?? 1));
  });
  return counts[Number(variables['SLURM_NODEID'] ?? 0)] ?? 1;
}

/** 'gpu[07-12,20],login1' begins with gpu07. */
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
