// Writes log lines and predictions as JSON lines, asynchronously, so that a slow disk or pipe does not delay
// requests.

import { createWriteStream } from 'node:fs';
import { fileProblem } from '@anyclass/files';

const levels = ['info', 'warn', 'error'] as const;

export type Level = (typeof levels)[number];

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/**
 * Creates a log that passes lines at or above a level to `write`.
 *
 * @example
 * createLog('info', lines.write).info('listening', { url }); // {"time":"…","level":"info","message":"listening","url":"…"}
 */
export function createLog(least: Level, write: (line: string) => void): Log {
  const at =
    (level: Level) =>
    (message: string, fields: LogFields = {}) => {
      if (levels.indexOf(level) < levels.indexOf(least)) return;
      write(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** Writes lines to a file or an open descriptor. */
export interface LineWriter {
  write(line: string): void;
  /** Writes what is still buffered. */
  close(): Promise<void>;
}

/** Bytes that may be buffered for a slow disk or reader; further lines are dropped. */
const mostHeldBack = 8_000_000;

/**
 * Appends lines.
 *
 * @param onProblem called once per series of problems, for example when the disk is full
 *
 * @example
 * const predictions = appendLines('predictions.jsonl', console.error);
 */
export function appendLines(target: string | number, onProblem: (reason: string) => void): LineWriter {
  const stream =
    typeof target === 'number'
      ? createWriteStream('', { fd: target, autoClose: false })
      : createWriteStream(target, { flags: 'a' });
  let dropped = 0;
  let isBroken = false;
  stream.on('error', (error) => {
    isBroken = true;
    onProblem(fileProblem(error));
  });
  return {
    write(line) {
      if (isBroken) return;
      if (stream.writableLength > mostHeldBack) {
        if (dropped === 0) onProblem('lines arrive faster than they can be written; some are dropped');
        dropped += 1;
        return;
      }
      dropped = 0;
      stream.write(`${line}\n`);
    },
    close: () =>
      new Promise((done) => {
        if (isBroken) done();
        else stream.end(done);
      }),
  };
}
