// Starts the process that computes with models, when it is first needed.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors/userError.js';
import type { AnswerOf, ModelAnswer, ModelReply, ModelRequest, ModelTask } from './modelMessages.js';

// Child processes run the built code: Node 20 cannot run TypeScript, and tests run from the sources.
const program = fileURLToPath(new URL('modelProcess.js', import.meta.url)).replace(
  '/src/studio/',
  '/dist/studio/',
);

export interface ModelChild {
  /** Rejects with a UserError if the user can fix it. */
  ask<Kind extends ModelTask['kind']>(
    task: ModelTask & { readonly kind: Kind },
    onProgress?: (done: number, total: number) => void,
  ): Promise<AnswerOf<Kind>>;
  close(): void;
}

/** Milliseconds without work after which the process ends, to give back its memory. */
const idle = 120_000;

interface Waiting {
  readonly done: (answer: ModelAnswer) => void;
  readonly failed: (error: Error) => void;
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Creates a child that is not started yet.
 *
 * @example
 * const { maps } = await modelChild().ask({ kind: 'explain', model: 'runs/sewer', image, side: 160 });
 */
export function modelChild(): ModelChild {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  const waiting = new Map<number, Waiting>();
  const end = () => {
    clearTimeout(timer);
    child?.kill('SIGKILL');
    child = undefined;
  };
  const start = (): ChildProcess => {
    const started = fork(program, [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.on('message', (reply: ModelReply) => {
      const asked = waiting.get(reply.id);
      if (reply.state === 'progress') return asked?.onProgress(reply.done, reply.total);
      waiting.delete(reply.id);
      if (reply.state === 'done') asked?.done(reply.answer);
      else asked?.failed(reply.isOurs ? new Error(reply.reason) : new UserError(reply.reason));
      if (waiting.size === 0) timer = setTimeout(end, idle).unref();
    });
    const gone = (how: string) => {
      if (child === started) child = undefined;
      for (const { failed } of waiting.values())
        failed(new UserError(`the process that computes with the model ${how}; try again`));
      waiting.clear();
    };
    started.once('exit', (code, signal) =>
      gone(signal === null ? `exited with code ${code}` : `was killed by ${signal}`),
    );
    started.once('error', (error) => gone(`did not start: ${error.message}`));
    return started;
  };
  return {
    async ask(task, onProgress = () => {}) {
      clearTimeout(timer);
      child ??= start();
      const request: ModelRequest = { id: count++, task };
      const sent = child;
      const answer = await new Promise<ModelAnswer>((done, failed) => {
        waiting.set(request.id, { done, failed, onProgress });
        // A process that just died is told by its exit.
        sent.send(request, () => {});
      });
      if (!isOf(answer, task.kind)) throw new Error(`asked for ${task.kind}, got ${answer.kind}`);
      return answer;
    },
    close: end,
  };
}

function isOf<Kind extends ModelTask['kind']>(answer: ModelAnswer, kind: Kind): answer is AnswerOf<Kind> {
  return answer.kind === kind;
}
