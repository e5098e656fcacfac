/** A collective failed; says which rank noticed, and in which operation. */
export class DistributedError extends Error {
  override readonly name = 'DistributedError';
  readonly rank: number;
  readonly worldSize: number;
  readonly operation: string;
  /** `lost`: a rank exited or cannot be reached; `timeout`: no answer came in time; otherwise `failed`. */
  readonly reason: 'lost' | 'timeout' | 'failed';

  constructor(
    message: string,
    fields: Pick<DistributedError, 'rank' | 'worldSize' | 'operation' | 'reason'>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.rank = fields.rank;
    this.worldSize = fields.worldSize;
    this.operation = fields.operation;
    this.reason = fields.reason;
  }
}

const causes = {
  lost: 'the connection to another rank was lost; that rank exited or cannot be reached',
  timeout: 'no answer in time; a rank hangs, is far behind or cannot be reached',
  failed: '',
} as const;

/**
 * Turns a collective's error into a DistributedError; returns any other error as it is. The addon's messages read
 * 'rank 1 of 2: allReduce of float32[3] failed: REASON', also from `backward`, where layers talk to other ranks.
 *
 * @example
 * try { loss.backward(); } catch (error) { throw asDistributedError(error); }
 */
export function asDistributedError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DistributedError) return error;
  const found = /rank (\d+) of (\d+): (.+?) failed: (.*)/s.exec(error.message);
  if (!found) return error;
  const [, rank, worldSize, operation = '', text = ''] = found;
  const reason = reasonOf(text);
  const told = [causes[reason], text].filter((part) => part !== '').join(' — ');
  return new DistributedError(
    `rank ${rank} of ${worldSize}: ${operation} failed: ${told}`,
    { rank: Number(rank), worldSize: Number(worldSize), operation, reason },
    { cause: error },
  );
}

/** Runs work that may talk to other ranks; its failures become DistributedErrors. */
export function namingRank<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDistributedError(error);
  }
}

function reasonOf(text: string): DistributedError['reason'] {
  if (/closed by peer|reset by peer|broken pipe|connection refused|no route|unreachable/i.test(text))
    return 'lost';
  return /timed? ?out|no sign within/i.test(text) ? 'timeout' : 'failed';
}
