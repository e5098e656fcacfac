import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { parseJson } from '../../../files/json.js';

/** Called with each element of an array and its index. */
export type ElementReader = (element: unknown, index: number) => void;

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = Buffer.from('"\\{}[]');
const largestElement = 64 * 1024 * 1024;

/**
 * Reads the objects in some arrays of a JSON file, `{"images": [{…}, …], "annotations": […]}`, with one
 * object in memory. COCO's instances file has 450 MB, of which we need a few numbers, and a JavaScript string
 * is limited to 512 MB. Each object is parsed with JSON.parse; for the rest, only the structure is followed.
 *
 * @returns the names of the arrays that were found
 *
 * @example
 * await readJsonArrays('instances.json', { categories: (category) => console.log(category) })
 */
export async function readJsonArrays(
  path: string,
  readers: Readonly<Record<string, ElementReader>>,
): Promise<Set<string>> {
  const file = basename(path);
  const found = new Set<string>();
  let depth = 0;
  let inString = false;
  let escaped = false;
  let key = ''; // the last string at depth 1 before the array: its name
  let reader: ElementReader | undefined;
  let index = 0;
  let captured: Buffer[] | undefined; // pieces of an object or a key that started in earlier chunks
  let capturedBytes = 0;
  let position = 0;

  const fail = (what: string): never => {
    throw new DataError(`${file}, ${reader ? `${key}[${index}]` : `byte ${position}`}: ${what}`);
  };
  const read = (text: string): unknown => {
    try {
      return parseJson(text);
    } catch (error) {
      return fail(`not valid JSON: ${reasonOf(error)}`);
    }
  };

  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const chunk: Buffer = piece;
    let start = captured ? 0 : -1;
    const finish = (end: number) => {
      const piece = chunk.subarray(start, end);
      const text = (captured?.length ? Buffer.concat([...captured, piece]) : piece).toString('utf8');
      captured = undefined;
      capturedBytes = 0;
      start = -1;
      return read(text);
    };
    const begin = (at: number) => {
      captured = [];
      start = at;
    };
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (depth === 1) key = String(finish(i + 1));
          if (key === '__proto__') fail('the key "__proto__" is not allowed');
        }
      } else if (byte === QUOTE) {
        inString = true;
        if (depth === 1) begin(i);
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        position += depth === 0 ? i : 0;
        if (depth === 0 && byte !== OPEN_BRACE)
          fail("starts with '['; expected an object that contains arrays");
        if (depth === 1 && byte === OPEN_BRACKET) {
          reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
          index = 0;
          if (reader) found.add(key);
        }
        if (depth === 2 && reader) {
          if (byte !== OPEN_BRACE) fail("expected an object, found '['");
          begin(i);
        }
        depth += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1;
        if (depth < 0) fail('one closing bracket too many');
        if (depth === 2 && reader) reader(finish(i + 1), index++);
        if (depth === 1) reader = undefined;
      } else if (depth === 0 && byte !== undefined && !isBlank(byte)) {
        position += i;
        fail('this is not JSON; expected {');
      }
    }
    position += chunk.length;
    if (captured) {
      captured.push(chunk.subarray(start));
      capturedBytes += chunk.length - start;
      if (capturedBytes > largestElement)
        fail('an object is larger than 64 MiB; is a quote or a brace missing?');
    }
  }
  if (position === 0) throw new DataError(`${file}: the file is empty`);
  if (depth !== 0 || inString) {
    throw new DataError(`${file}: the file ends in the middle, after ${position} bytes; is it truncated?`);
  }
  return found;
}

/** Whitespace, or a byte of the UTF-8 byte-order mark. */
function isBlank(byte: number): boolean {
  return byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf;
}
