import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CsvError, parse } from 'csv-parse';
import { counted } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { reasonOf } from '../../errors/reasonOf.js';
import { unusualKind } from '../../files/fileKind.js';

/** Called with the cells of a row and the number of its last line. */
export type RowReader = (cells: readonly string[], line: number) => void;

// Without this limit, a quote that is never closed would swallow the rest of the file into one cell.
const longestRow = 1 << 20;

/**
 * More lines per compressed byte than this are accepted only in a small table: names that count up, and zeros,
 * take about two bytes a line.
 */
const linesPerByte = 10;
const smallTable = 1e6;

/**
 * Reads a CSV file (possibly gzipped, with commas, semicolons, or tabs) row by row, with one row in memory.
 *
 * `header` receives the column names and returns a function to call with each row. Every error
 * names the line and `file`.
 *
 * @example
 * await readCsv('train.csv', (columns) => (cells, line) => console.log(line, cells[0]))
 */
export async function readCsv(
  path: string,
  header: (columns: readonly string[]) => RowReader,
  file = basename(path),
): Promise<void> {
  let width = 0;
  let readRow: RowReader | undefined;
  let lastLine = 0;
  const found = await stat(path);
  const kind = unusualKind(found);
  if (kind !== undefined)
    throw new DataError(`${file} is ${kind}; a table is read more than once, so write it to a file`);
  const delimiter = await findDelimiter(path);
  const unpack = await decompression(path);
  const { size } = found;
  const mostLines =
    unpack.length === 0 ? Number.POSITIVE_INFINITY : Math.max(smallTable, size * linesPerByte);
  const parser = parse({
    bom: true,
    delimiter,
    skip_empty_lines: true,
    relax_column_count: true, // our own message below names the line and both counts
    max_record_size: longestRow,
  });
  const take = (cells: readonly string[], lines: number) => {
    lastLine = lines;
    if (lines > mostLines)
      throw new DataError(`${file}: its ${size} bytes decompress to more than ${mostLines} lines`);
    if (readRow === undefined) {
      width = cells.length;
      readRow = header(checkedColumns(cells, file));
    } else if (cells.length !== width) {
      throw new DataError(
        `${file}, line ${lines}: ${counted(cells.length, 'cell')}, but the header has ${counted(width, 'column')}; is a quote or a delimiter missing?`,
      );
    } else {
      readRow(cells, lines);
    }
  };
  // Rows are consumed where the parser passes them on: a stream of objects takes twice the time, and so does `on_record`, which copies
  // what the parser knows about the file for each of them.
  const passOn = parser.push.bind(parser);
  parser.push = (cells: string[] | null) => {
    if (cells === null) return passOn(null);
    if (parser.destroyed) return false;
    try {
      take(cells, parser.info.lines);
    } catch (error) {
      parser.destroy(error instanceof Error ? error : new Error(reasonOf(error)));
    }
    return true;
  };
  const sink = new Writable({ objectMode: true, write: (_row, _encoding, done) => done() });
  try {
    await pipeline([createReadStream(path), ...unpack, checkText(file), parser, sink]);
  } catch (error) {
    throw csvError(error, file, lastLine);
  }
  if (readRow === undefined) throw new DataError(`${file}: the file is empty; expected a header line`);
}

/** The decompression step, if the file starts like gzip, whatever its name. */
async function decompression(path: string): Promise<Transform[]> {
  return isGzip(await firstBytes(path, 2)) ? [createGunzip()] : [];
}

function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** The delimiter that occurs most often in the start of the header line. */
async function findDelimiter(path: string): Promise<string> {
  const header = (await startOf(path, 1 << 16)).toString('utf8').split('\n', 1)[0] ?? '';
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/**
 * The first bytes of the text, of which no more are decompressed. Empty if the file is damaged; reading it
 * reports what is wrong.
 */
async function startOf(path: string, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let left = length;
  const take = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(part.subarray(0, left));
      left -= part.length;
      done(left > 0 ? null : enough);
    },
  });
  const enough = new Error('enough');
  await pipeline([createReadStream(path), ...(await decompression(path)), take]).catch(() => {});
  return Buffer.concat(parts);
}

async function firstBytes(path: string, length: number): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Refuses zero bytes and anything but UTF-8. A zero byte means that this is not text, which says more than an
 * error about the first line; names in another encoding would turn into different names.
 */
function checkText(file: string): Transform {
  let cut: Buffer = Buffer.alloc(0); // the start of a character that continues in the next chunk
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = cut.length > 0 ? Buffer.concat([cut, chunk]) : chunk;
      const whole = wholeCharacters(bytes);
      cut = bytes.subarray(whole);
      if (chunk.includes(0)) done(new DataError(`${file}: contains zero bytes; this is not a text file`));
      else if (!isUtf8(bytes.subarray(0, whole))) done(notUtf8(file));
      else done(null, chunk);
    },
    flush: (done) => done(cut.length > 0 ? notUtf8(file) : null),
  });
}

function notUtf8(file: string): DataError {
  return new DataError(`${file}: is not UTF-8 (Latin-1, perhaps?); save it as UTF-8`);
}

/** The number of bytes up to the end of the last complete character, judging by its first byte. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function checkedColumns(cells: readonly string[], file: string): string[] {
  const columns = cells.map((cell) => cell.trim());
  const seen = new Set<string>(); // a table may have 20,000 columns
  const twice = columns.find((column) => column !== '' && seen.size === seen.add(column).size);
  if (twice !== undefined)
    throw new DataError(`${file}, line 1: column '${twice}' appears twice in the header`);
  return columns;
}

function csvError(error: unknown, file: string, lastLine: number): unknown {
  if (error instanceof DataError) return error;
  if (error instanceof CsvError) {
    const lines: unknown = error['lines'];
    const where = typeof lines === 'number' ? `${file}, line ${lines}` : file;
    if (error.code === 'CSV_MAX_RECORD_SIZE')
      return new DataError(`${where}: a row is longer than 1 MiB; is a quote never closed?`);
    if (error.code === 'CSV_QUOTE_NOT_CLOSED')
      return new DataError(`${file}, line ${lastLine + 1}: a quote that opens in this row is never closed`);
    return new DataError(`${where}: ${reasonOf(error)}`);
  }
  return new DataError(`${file}: ${reasonOf(error)}`);
}
