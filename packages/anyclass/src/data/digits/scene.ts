import { randomStream } from '../random/philox.js';
import { type Mnist, mnistSide } from './mnist.js';

export const sceneSide = 64;

/** The labeled digits, and how often each is drawn (per 10,000): a long tail. */
export const labeledDigits: readonly { readonly digit: number; readonly frequency: number }[] = [
  { digit: 3, frequency: 1000 },
  { digit: 5, frequency: 650 },
  { digit: 7, frequency: 400 },
  { digit: 2, frequency: 250 },
  { digit: 8, frequency: 130 },
  { digit: 9, frequency: 70 },
];
/**
 * The rest of the draws are these digits, which have no label: a scene with only these
 * is negative but not empty.
 */
const unlabeledDigits = [0, 1, 4, 6];

/** The number of digits in a scene, drawn uniformly from these 20 entries. */
const digitCounts = [0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4];

/** The digits of a scene, drawn without any image, so that a dataset's labels need no rendering. */
export function sceneDigits(seed: number, split: number, index: number): number[] {
  const stream = randomStream('digits', seed, split, index);
  const count = digitCounts[stream.below(digitCounts.length)]!;
  return Array.from({ length: count }, () => {
    let left = stream.below(10_000);
    for (const { digit, frequency } of labeledDigits) {
      if (left < frequency) return digit;
      left -= frequency;
    }
    return unlabeledDigits[left % unlabeledDigits.length]!;
  });
}

/** The MNIST images of each digit, for one split. */
export type DigitPool = readonly (readonly number[])[];

export function digitPool(mnist: Mnist, from: number, to: number): DigitPool {
  const pool: number[][] = Array.from({ length: 10 }, () => []);
  for (let image = from; image < to; image++) pool[mnist.labels[image]!]!.push(image);
  return pool;
}

/**
 * A scene as 64x64 gray pixels: clutter (pieces of digits, too small to recognize), then the digits at random
 * positions, possibly overlapping. Integer arithmetic throughout, so the bytes are the same on every machine.
 *
 * @example
 * renderScene(0, 0, 17, mnist, digitPool(mnist, 0, 50000)).length // 4096
 */
export function renderScene(
  seed: number,
  split: number,
  index: number,
  mnist: Mnist,
  pool: DigitPool,
): Uint8Array {
  const scene = new Uint8Array(sceneSide * sceneSide);
  for (const piece of scenePieces(seed, split, index, pool)) paint(scene, mnist, piece);
  return scene;
}

/** Where a digit is: the top left corner of its square, whose side is 28 pixels. */
export interface DigitPlace {
  readonly digit: number;
  readonly x: number;
  readonly y: number;
}

/**
 * Where the digits of a scene are, with and without a label.
 *
 * @example
 * digitPlaces(0, 0, 17, digitPool(mnist, 0, 50000)) // [{ digit: 3, x: 12, y: 30 }]
 */
export function digitPlaces(seed: number, split: number, index: number, pool: DigitPool): DigitPlace[] {
  return scenePieces(seed, split, index, pool).flatMap(({ digit, x, y }) =>
    digit === undefined ? [] : [{ digit, x, y }],
  );
}

function scenePieces(seed: number, split: number, index: number, pool: DigitPool): Piece[] {
  const stream = randomStream('digits', seed ^ 0x5ce7e, split, index);
  const imageOf = (digit: number) => pool[digit]![stream.below(pool[digit]!.length)]!;
  const pieces: Piece[] = [];
  for (let left = 6 + stream.below(9); left > 0; left--) {
    const side = 5 + stream.below(4);
    pieces.push({
      image: imageOf(stream.below(10)),
      fromX: stream.below(mnistSide - side),
      fromY: stream.below(mnistSide - side),
      side,
      x: stream.below(sceneSide - side + 1),
      y: stream.below(sceneSide - side + 1),
      strength: 100 + stream.below(156),
    });
  }
  for (const digit of sceneDigits(seed, split, index)) {
    pieces.push({
      digit,
      image: imageOf(digit),
      fromX: 0,
      fromY: 0,
      side: mnistSide,
      x: stream.below(sceneSide - mnistSide + 1),
      y: stream.below(sceneSide - mnistSide + 1),
      strength: 160 + stream.below(96),
    });
  }
  return pieces;
}

interface Piece {
  /** Undefined for clutter. */
  readonly digit?: number;
  readonly image: number;
  readonly fromX: number;
  readonly fromY: number;
  readonly side: number;
  readonly x: number;
  readonly y: number;
  /** Brightness factor; 255 keeps the image's own brightness. */
  readonly strength: number;
}

/** Paints a piece; each pixel keeps the brighter of the old and the new value. */
function paint(scene: Uint8Array, mnist: Mnist, piece: Piece): void {
  for (let dy = 0; dy < piece.side; dy++) {
    const from = (piece.image * mnistSide + piece.fromY + dy) * mnistSide + piece.fromX;
    const to = (piece.y + dy) * sceneSide + piece.x;
    for (let dx = 0; dx < piece.side; dx++) {
      const value = Math.floor((mnist.pixels[from + dx]! * piece.strength) / 255);
      if (value > scene[to + dx]!) scene[to + dx] = value;
    }
  }
}
