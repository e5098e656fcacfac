// The state of a running pickle, with limits on everything that a short program could make large.

import { createCursor, type PickleCursor } from './pickleCursor.js';
import type { PythonObject, PythonValue } from './pythonObject.js';

/** What a pickle can build. Tuples, lists and sets are arrays; dictionaries are maps in insertion order. */
export type PickleValue = PythonValue<PythonObject>;

/** The stack, the marks on it and the memo. */
export interface PickleMachine {
  readonly cursor: PickleCursor;
  push(value: PickleValue): void;
  pop(): PickleValue;
  /** Returns the value on top without removing it. */
  peek(): PickleValue;
  mark(): void;
  /** Whether the last mark is on top, with nothing above it. */
  isAtMark(): boolean;
  /** Removes and returns everything above the last mark, and removes the mark. */
  popToMark(): PickleValue[];
  memorize(index: number, value: PickleValue): void;
  recall(index: number): PickleValue;
  memoSize(): number;
  /** Charges a cost (containers and objects made, items and characters copied) against the limit. */
  spend(cost: number): void;
  isEmpty(): boolean;
  error(problem: string): Error;
}

// A checkpoint of 100,000 tensors takes about 800,000 containers and objects and 3,000,000 values. Beyond these limits, a
// file of a few megabytes could fill the memory, since one byte suffices for an empty dictionary.
const mostValues = 10_000_000;
const mostContainers = 1_000_000;
const mostMemorized = 3_000_000;

/** Cost of making a container, in units of one copied item or character, so that both share one limit. */
export const containerCost = 20;

/**
 * Whether a value is a Python object rather than a container or a scalar.
 *
 * @example
 * isPythonObject({ kind: 'unknown', className: 'argparse.Namespace' }) // true
 */
export function isPythonObject(value: PickleValue): value is PythonObject {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/**
 * Creates a machine at the start of a pickle.
 *
 * @example
 * const machine = createMachine(bytes, (text) => new Error(text));
 * machine.push(7);
 * machine.pop() // 7
 */
export function createMachine(bytes: Uint8Array, problem: (text: string) => Error): PickleMachine {
  const cursor = createCursor(bytes, problem);
  const stack: PickleValue[] = [];
  const marks: number[] = [];
  const memo = new Map<number, PickleValue>();
  let pushed = 0;
  let spent = 0;

  const countPush = () => {
    if (++pushed > mostValues) throw cursor.error(`it makes more than ${mostValues} values`);
  };
  // As in Python, values below a mark are out of reach until the mark is gone.
  const floor = () => marks.at(-1) ?? 0;
  const peek = () => {
    const top = stack.length > floor() ? stack.at(-1) : undefined;
    if (top === undefined) throw cursor.error('it takes a value from an empty stack');
    return top;
  };

  return {
    cursor,
    peek,
    push(value) {
      countPush();
      stack.push(value);
    },
    pop() {
      const top = peek();
      stack.pop();
      return top;
    },
    mark() {
      countPush();
      marks.push(stack.length);
    },
    isAtMark: () => marks.length > 0 && stack.length === floor(),
    popToMark() {
      const start = marks.pop();
      if (start === undefined) throw cursor.error('it looks for a mark that was never set');
      return stack.splice(start);
    },
    memorize(index, value) {
      memo.set(index, value);
      if (memo.size > mostMemorized) throw cursor.error(`it memorizes more than ${mostMemorized} values`);
    },
    recall(index) {
      const value = memo.get(index);
      if (value === undefined) throw cursor.error(`it recalls value ${index}, which it never memorized`);
      return value;
    },
    memoSize: () => memo.size,
    spend(cost) {
      spent += cost;
      if (spent > mostContainers * containerCost) {
        throw cursor.error('it makes too many or too large containers');
      }
    },
    isEmpty: () => stack.length === 0 && marks.length === 0,
    error: cursor.error,
  };
}
