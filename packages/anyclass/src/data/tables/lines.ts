import { createReadStream } from 'node:fs';
import { DataError } from '../../errors/dataError.js';
import { reasonOf } from '../../errors/reasonOf.js';

const longestLine = 1 << 24;

/**
 * Reads the lines of a UTF-8 text file with their numbers from 1 on, with one line in memory.
 *
 * @param file the file's name in messages
 *
 * @example
 * for await (const [line, number] of readLines('scene.arff', 'scene.arff')) console.log(number, line);
 */
export async function* readLines(path: string, file: string): AsyncGenerator<readonly [string, number]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let number = 0;
  const decoded = (chunk?: Buffer) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new DataError(`${file}: is not UTF-8 (Latin-1, perhaps?); save it as UTF-8`);
    }
  };
  const chunks: AsyncIterable<Buffer> = createReadStream(path);
  try {
    for await (const chunk of chunks) {
      const text = rest + decoded(chunk);
      if (text.includes('\0')) throw new DataError(`${file}: contains zero bytes; this is not a text file`);
      const lines = text.split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield [withoutReturn(line), ++number];
      if (rest.length > longestLine)
        throw new DataError(`${file}, line ${number + 1}: the line is too long (over 16 MiB)`);
    }
  } catch (error) {
    throw error instanceof DataError ? error : new DataError(`${file}: ${reasonOf(error)}`);
  }
  rest += decoded();
  if (rest !== '') yield [withoutReturn(rest), ++number];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
