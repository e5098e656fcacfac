import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { native } from '../native/native.js';
import { tensor } from '../operators/creation.js';
import { engineInfo } from '../runtime/runtime.js';
import { askStore } from './askStore.js';
import { asDistributedError } from './distributedError.js';
import { type LaunchEnvironment, launchEnvironment } from './environment.js';
import { ProcessGroup } from './processGroup.js';

export type BackendName = 'gloo' | 'nccl';

export interface InitOptions {
  /** Backend for tensors on GPUs; `auto` uses NCCL if every process has its own GPU. Default `auto`. */
  readonly backend?: BackendName | 'auto';
  /**
   * Where the processes meet: `env://` (taken from the environment), `tcp://HOST:PORT` (rank 0 listens there), or
   * `file:///PATH`, a new file that all can write to. Default `env://`.
   */
  readonly meet?: string;
  /** This and the next three are read from the environment unless given. */
  readonly rank?: number;
  readonly worldSize?: number;
  readonly localRank?: number;
  readonly localWorldSize?: number;
  /** How long a rank waits for the others in any operation. Default 600. */
  readonly timeoutSeconds?: number;
}

export interface DistributedStatus {
  /** Empty if libtorch was built without process groups. */
  readonly backends: readonly BackendName[];
  /** Why there is no backend; null if there is one. */
  readonly unavailable: string | null;
}

/**
 * Lists the backends that processes can talk over.
 *
 * @example
 * distributedStatus() // { backends: ['gloo'], unavailable: null }
 */
export function distributedStatus(): DistributedStatus {
  const unavailable = native.distributedUnavailable();
  if (unavailable !== '') return { backends: [], unavailable };
  return { backends: native.distributedHasNccl() ? ['gloo', 'nccl'] : ['gloo'], unavailable: null };
}

/**
 * Joins the processes that were started together; resolves when all of them have joined. Each computes on the `cuda:0`
 * that it sees, so give each its own GPU with CUDA_VISIBLE_DEVICES.
 *
 * @example
 * using group = await distributed.init(); // started by torchrun, srun or anything that sets RANK and WORLD_SIZE
 * group.rank // 0 to group.worldSize - 1
 */
export async function init(options: InitOptions = {}): Promise<ProcessGroup> {
  const { unavailable } = distributedStatus();
  if (unavailable !== null) throw new Error(`no process groups: ${unavailable}`);
  const { timeoutSeconds = 600 } = options;
  if (!(timeoutSeconds > 0))
    throw new RangeError(`timeoutSeconds is ${timeoutSeconds}; expected more than 0`);
  const { rank, worldSize, localRank, localWorldSize, meeting } = resolve(options);
  const wanted = options.backend ?? 'auto';
  checkBackend(wanted);
  if (meeting.path === '' && !meeting.isServer && Number.parseInt(engineInfo().version, 10) < 2)
    await askStore(meeting, timeoutSeconds);
  try {
    const created = native.groupCreate(
      meeting.path,
      meeting.host,
      meeting.port,
      meeting.isServer,
      meeting.prefix,
      rank,
      worldSize,
      Math.ceil(timeoutSeconds * 1000),
    );
    const number = await withinTime(created, timeoutSeconds, meeting);
    const description = { rank, worldSize, localRank, localWorldSize };
    const overGloo = new ProcessGroup(number, { ...description, backend: 'gloo' });
    if (wanted === 'gloo' || (wanted === 'auto' && !(await haveOwnGpus(overGloo)))) return overGloo;
    native.groupAddNccl(number);
    return new ProcessGroup(number, { ...description, backend: 'nccl' });
  } catch (error) {
    throw asDistributedError(error);
  }
}

/**
 * Seconds beyond the timeout after which the wait for the others ends even if libtorch goes on: a program that is not
 * a store may keep the connection open and say nothing.
 */
const extraSeconds = 10;

async function withinTime<Result>(work: Promise<Result>, seconds: number, { path, host, port }: Meeting) {
  const place = path === '' ? `${host}:${port}` : path;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const reason = `nothing at ${place} answers like a store within ${seconds} s; does another program use that port?`;
    timer = setTimeout(() => reject(new Error(reason)), (seconds + extraSeconds) * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Meeting {
  readonly path: string;
  readonly host: string;
  readonly port: number;
  readonly isServer: boolean;
  readonly prefix: string;
}

type Resolved = Pick<LaunchEnvironment, 'rank' | 'worldSize' | 'localRank' | 'localWorldSize'> & {
  readonly meeting: Meeting;
};

function resolve(options: InitOptions): Resolved {
  const { meet = 'env://' } = options;
  const environment = launchEnvironment();
  const rank = options.rank ?? environment?.rank;
  const worldSize = options.worldSize ?? environment?.worldSize;
  if (rank === undefined || worldSize === undefined) {
    throw new Error(
      'no launcher started this process: RANK and WORLD_SIZE are not set; use torchrun, srun or anyclass launch, or give rank and worldSize',
    );
  }
  if (!(Number.isInteger(worldSize) && Number.isInteger(rank) && rank >= 0 && rank < worldSize)) {
    throw new RangeError(
      `rank is ${rank} of worldSize ${worldSize}; expected whole numbers, 0 to worldSize - 1`,
    );
  }
  return {
    rank,
    worldSize,
    localRank: options.localRank ?? environment?.localRank ?? rank,
    localWorldSize: options.localWorldSize ?? environment?.localWorldSize ?? worldSize,
    meeting: meetingOf(meet, rank, worldSize, environment),
  };
}

function meetingOf(
  meet: string,
  rank: number,
  worldSize: number,
  environment: LaunchEnvironment | undefined,
): Meeting {
  const nowhere = { path: '', host: '', port: 0, isServer: false, prefix: '' };
  if (meet.startsWith('file://')) return { ...nowhere, path: fileURLToPath(meet) };
  if (meet.startsWith('tcp://')) {
    const { hostname, port } = new URL(meet);
    if (hostname === '' || port === '') throw new RangeError(`meet is ${meet}; expected tcp://HOST:PORT`);
    return { ...nowhere, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), isServer: rank === 0 };
  }
  if (meet !== 'env://')
    throw new RangeError(`meet is ${meet}; expected env://, tcp://HOST:PORT or file:///PATH`);
  const { masterAddress = '127.0.0.1', masterPort = 29500, agent } = environment ?? {};
  const master = { ...nowhere, host: masterAddress, port: masterPort };
  if (agent === undefined) return { ...master, isServer: rank === 0 };
  // torchrun has taken the port itself, and its store speaks libtorch 2's protocol. On one machine, a file works as well.
  const { version } = engineInfo();
  if (Number.parseInt(version, 10) >= 2) return { ...master, prefix: agent.prefix };
  if (environment?.localWorldSize === worldSize && agent.folder !== undefined) {
    return { ...nowhere, path: join(agent.folder, 'anyclass-store') };
  }
  throw new Error(
    `torchrun's store does not support libtorch ${version}; run setup again with LIBTORCH_USE_PYTORCH=1, or start with srun or by setting RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT`,
  );
}

function checkBackend(wanted: BackendName | 'auto'): void {
  if (wanted !== 'nccl') return;
  if (!distributedStatus().backends.includes('nccl')) {
    throw new Error(
      'backend nccl: this build has no NCCL; use gloo, or set up with a libtorch that has it and nccl.h',
    );
  }
  if (native.cudaDevices() === 0) throw new Error(`backend nccl: ${native.cudaUnavailable()}`);
}

/** Whether every rank has NCCL and its own GPU; NCCL refuses to share one. */
async function haveOwnGpus(group: ProcessGroup): Promise<boolean> {
  const own = Uint8Array.from(Buffer.from(gpuOf(group.localRank) ?? nothing, 'hex'));
  const gathered = await group.allGather(tensor(own)).finished();
  const gpus = gathered.map((gpu) => Buffer.from(gpu.toArray() as number[]).toString('hex'));
  for (const gpu of gathered) gpu.dispose();
  return !gpus.includes(nothing) && new Set(gpus).size === group.worldSize;
}

/** The UUID that stands for no GPU. */
const nothing = '00'.repeat(16);

function gpuOf(localRank: number): string | undefined {
  const gpus = native.cudaDevices();
  if (gpus === 0 || !distributedStatus().backends.includes('nccl')) return undefined;
  return native.cudaDeviceUuid(localRank < gpus ? localRank : 0);
}
