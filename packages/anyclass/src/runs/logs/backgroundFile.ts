import { createWriteStream } from 'node:fs';

/** A file that is written in the background. */
export interface BackgroundFile {
  write(content: string | Buffer): void;
  /** Waits until everything is written, or a limit has passed. What is written later is dropped. */
  close(): Promise<void>;
}

/** Beyond this, a disk that does not answer would fill the memory, so what is written is dropped. */
const mostWaiting = 2 ** 20;

/** Milliseconds that the end of a run waits for the disk. */
const limit = 10_000;

/**
 * Appends to a file in the background; after the first failure, everything is dropped.
 *
 * @example
 * const file = backgroundFile('runs/sewer/log.csv', console.error);
 * file.write('time,epoch\n');
 * await file.close();
 */
export function backgroundFile(path: string, onFailure: (error: Error) => void): BackgroundFile {
  const stream = createWriteStream(path, { flags: 'a' });
  stream.once('error', onFailure);
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  return {
    write(content) {
      if (stream.writable && stream.writableLength < mostWaiting) stream.write(content);
    },
    async close() {
      stream.end();
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limit);
      });
      await Promise.race([closed, tooLate]);
      clearTimeout(timer);
    },
  };
}
