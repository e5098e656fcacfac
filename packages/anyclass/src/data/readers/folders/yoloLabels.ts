// YOLO's label files: one line per object, with its class number and its position.

import { readFile } from 'node:fs/promises';
import { DataError } from '../../../errors/dataError.js';
import { listed } from '../../../errors/listed.js';
import { checkInputFile } from '../../../files/inputs.js';
import { shownPath } from '../../../files/shownPath.js';
import type { ObjectBox } from '../../dataset/objectBoxes.js';
import { numberIn } from '../../tables/labelCells.js';
import { readText } from '../../tables/textFile.js';
import type { ImageLabels, LabeledObject } from './namedLabels.js';

/**
 * The objects in a label file: boxes (5 numbers, 6 with a confidence), oriented boxes, polygons, or keypoints.
 *
 * @param classes class names by number
 *
 * @example
 * yoloObjects('1 0.5 0.5 0.2 0.1\n', new Map([[0, 'cat'], [1, 'dog']]), 'a.txt') // [{ name: 'dog', left: 0.4, top: 0.45, width: 0.2, height: 0.1 }]
 */
export function yoloObjects(
  text: string,
  classes: ReadonlyMap<number, string>,
  file: string,
): LabeledObject[] {
  const found: LabeledObject[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '') continue;
    const where = () => `${file}, line ${i + 1}`;
    const wrong = words.find((word) => numberIn(word) === undefined);
    if (wrong !== undefined) throw new DataError(`${where()}: '${wrong}' is not a number`);
    if (!isObject(words.length)) {
      throw new DataError(
        `${where()}: ${words.length} numbers; expected a class number and a box (5 numbers), polygon, or keypoints`,
      );
    }
    const name = /^\d+$/.test(words[0]!) ? classes.get(Number(words[0])) : undefined;
    if (name === undefined) {
      throw new DataError(
        `${where()}: class number ${words[0]}; expected one of ${listed(
          [...classes].map(([number, known]) => `${number} (${known})`),
          12,
        )}`,
      );
    }
    found.push({ name, ...boxOf(words.slice(1).map(Number)) });
  }
  return found;
}

/** A box by its center, which may be followed by a confidence or keypoints, or the one around a polygon. */
function boxOf(numbers: readonly number[]): ObjectBox {
  const isPolygon = numbers.length > 5 && numbers.length % 2 === 0;
  if (!isPolygon) {
    const [x = 0, y = 0, width = 0, height = 0] = numbers;
    return { left: x - width / 2, top: y - height / 2, width, height };
  }
  const range = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;
  const [left, right] = range(numbers.filter((_, i) => i % 2 === 0));
  const [top, bottom] = range(numbers.filter((_, i) => i % 2 === 1));
  return { left, top, width: right - left, height: bottom - top };
}

/** Reads a label file. */
export async function readYoloLabels(
  path: string,
  classes: ReadonlyMap<number, string>,
): Promise<ImageLabels> {
  const objects = yoloObjects(await readText(path, 16 << 20), classes, shownPath(path));
  return { present: new Set(objects.map(({ name }) => name)), objects };
}

/**
 * Reads a list of class names, one per line.
 *
 * @example
 * await readClassList('classes.txt') // Map { 0 => 'cat', 1 => 'dog' }
 */
export async function readClassList(path: string): Promise<Map<number, string>> {
  checkInputFile(path);
  const lines = (await readFile(path, 'utf8')).trimEnd().split(/\r?\n/);
  const file = shownPath(path);
  return numberedClasses(
    lines.map((line, i) => {
      if (line.trim() === '')
        throw new DataError(
          `${file}, line ${i + 1}: no class name; an empty line would renumber the classes below`,
        );
      return [i, line.trim()];
    }),
    file,
  );
}

/** Class names by number; refuses a name with two numbers. */
export function numberedClasses(
  entries: readonly (readonly [number, string])[],
  file: string,
): Map<number, string> {
  const numberOf = new Map<string, number>();
  for (const [number, name] of entries) {
    const before = numberOf.get(name);
    if (before !== undefined) {
      throw new DataError(`${file}: class '${name}' has the numbers ${before} and ${number}; give it one`);
    }
    numberOf.set(name, number);
  }
  if (numberOf.size === 0) throw new DataError(`${file}: no class names`);
  return new Map(entries.map(([number, name]) => [number, name] as const).sort(([a], [b]) => a - b));
}

/**
 * A class and a box (4 numbers, 5 with a confidence), a polygon (pairs), or a box with keypoints (triples).
 */
function isObject(numbers: number): boolean {
  return numbers === 5 || numbers === 6 || (numbers > 6 && (numbers % 2 === 1 || (numbers - 5) % 3 === 0));
}
