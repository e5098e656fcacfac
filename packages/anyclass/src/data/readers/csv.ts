import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CsvError, parse } from 'csv-parse';
import { DataError, reasonOf } from '../dataError.js';

/** Called with the cells of a row and the number of its (last) line. */
export type RowReader = (cells: readonly string[], line: number) => void;

// A quote that is never closed would otherwise swallow the rest of the file into one cell.
const longestRow = 1 << 20;

/**
 * Read a CSV file (also gzipped, also with semicolons or tabs) row by row, in the memory of one row.
 *
 * `header` gets the column names and returns what to do with a row. Every complaint names file and line.
 *
 * @example
 * await readCsv('train.csv', (columns) => (cells, line) => console.log(line, cells[0]))
 */
export async function readCsv(
  path: string,
  header: (columns: readonly string[]) => RowReader,
): Promise<void> {
  const file = basename(path);
  let width = 0;
  let readRow: RowReader | undefined;
  const delimiter = await findDelimiter(path);
  const parser = parse({
    bom: true,
    delimiter,
    skip_empty_lines: true,
    relax_column_count: true, // our own message, below, names the line and both counts
    max_record_size: longestRow,
    // Rows are consumed here, in the parser's own turn: handing them on as a stream of objects costs twice the time.
    on_record(cells: string[], { lines }) {
      if (readRow === undefined) {
        width = cells.length;
        readRow = header(checkedColumns(cells, file));
      } else if (cells.length !== width) {
        throw new DataError(
          `${file}, line ${lines}: ${cells.length} cells where the header has ${width} columns; is a quote or a delimiter missing?`,
        );
      } else {
        readRow(cells, lines);
      }
      return null;
    },
  });
  const sink = new Writable({ objectMode: true, write: (_row, _encoding, done) => done() });
  try {
    await pipeline([
      createReadStream(path),
      ...(await decompression(path)),
      rejectBinary(file),
      parser,
      sink,
    ]);
  } catch (error) {
    throw csvError(error, file);
  }
  if (readRow === undefined) throw new DataError(`${file}: the file is empty; expected a header line`);
}

/** Whether a file starts as gzip does, whatever it is called. */
async function decompression(path: string): Promise<Transform[]> {
  const start = await firstBytes(path, 2);
  return start[0] === 0x1f && start[1] === 0x8b ? [createGunzip()] : [];
}

/** The delimiter that occurs most in the header line; a gzipped table is taken to have commas. */
async function findDelimiter(path: string): Promise<string> {
  const header = (await firstBytes(path, 1 << 16)).toString('utf8').split('\n', 1)[0] ?? '';
  if (header.startsWith('\x1f')) return ',';
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
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

/** A zero byte means that this is no text at all: say so, rather than complain of a strange first line. */
function rejectBinary(file: string): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (chunk.includes(0)) done(new DataError(`${file}: holds zero bytes; this is not a text file`));
      else done(null, chunk);
    },
  });
}

function checkedColumns(cells: readonly string[], file: string): string[] {
  const columns = cells.map((cell) => cell.trim());
  const twice = columns.find((column, i) => column !== '' && columns.indexOf(column) !== i);
  if (twice !== undefined)
    throw new DataError(`${file}, line 1: column '${twice}' stands twice in the header`);
  return columns;
}

function csvError(error: unknown, file: string): unknown {
  if (error instanceof DataError) return error;
  if (error instanceof CsvError) {
    const lines: unknown = error['lines'];
    const where = typeof lines === 'number' ? `${file}, line ${lines}` : file;
    if (error.code === 'CSV_MAX_RECORD_SIZE')
      return new DataError(`${where}: a row longer than 1 MiB; is a quote never closed?`);
    return new DataError(`${where}: ${reasonOf(error)}`);
  }
  return new DataError(`${file}: ${reasonOf(error)}`);
}
