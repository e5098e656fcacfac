import { describe, expect, test } from 'vitest';
import { countsOf, type Filters, shownRows } from './filters.js';
import { decodeTable, type LookTable } from './table.js';

const names = ['quiet', 'false alarm', 'missed', 'found', 'unknown'];

/** Two classes; outcomes, labels and predictions by row. */
function table(outcome: readonly number[], predicted: readonly number[]): LookTable {
  const head = {
    split: 'validation',
    splits: ['validation'],
    classes: ['crack', 'roots'],
    names,
    groups: ['a', 'b'],
    thresholds: [0.5, 0.5],
    gate: 0.5,
    clear: null,
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const padding = (8 - ((4 + text.length) % 8)) % 8;
  const parts = [
    new Uint8Array(Uint32Array.of(text.length + padding).buffer),
    text,
    new TextEncoder().encode(' '.repeat(padding)),
    new Uint8Array(Float32Array.from([0.1, 0, 0.7, 0.1, 0.2, 0.1, 0.9, 0.8, 0.3, 0.6]).buffer),
    new Uint8Array(Float32Array.from([0.1, 0.75, 0.25, 0.95, 0.7]).buffer),
    new Uint8Array(Int32Array.from([0, 0, 1, 1, -1]).buffer),
    new Uint8Array(Int8Array.from([0, 0, 0, 0, 1, 0, 1, 0, 0, -1]).buffer),
    Uint8Array.from(predicted),
    Uint8Array.from(outcome),
  ];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return decodeTable(bytes.buffer);
}

const now = table([0, 2, 0, 2, 2], [0, 0, 1, 0, 0, 0, 1, 1, 0, 1]);
const shown = (filters: Partial<Filters>, other?: LookTable) =>
  shownRows(now, { show: 'all', from: 0, to: 1, order: 'high', ...filters }, other).map((row) => names[row]);

describe('the rows that are shown', () => {
  test('are negatives that alarm, and positives that are cleared; an unknown label makes no negative', () => {
    expect(shown({ show: 'alarms' })).toEqual(['false alarm']);
    expect(shown({ show: 'missed' })).toEqual(['missed']);
    expect(countsOf(now, undefined)).toEqual({ alarms: 1, missed: 1, review: 0, all: 5 });
  });

  test('of a class: predicted but not labeled, and labeled but not predicted', () => {
    expect(shown({ show: 'alarms', classIndex: 1 })).toEqual(['found']);
    expect(shown({ show: 'missed', classIndex: 0 })).toEqual(['missed']);
    expect(shown({ classIndex: 0 })).toEqual(['found', 'false alarm', 'missed']);
  });

  test('are limited by confidence, group and names, and ordered', () => {
    expect(shown({ from: 0.5 })).toEqual(['found', 'false alarm', 'unknown']);
    expect(shown({ to: 0.5, order: 'low' })).toEqual(['quiet', 'missed']);
    expect(shown({ group: 1 })).toEqual(['found', 'missed']);
    expect(shown({ among: new Set(['quiet']) })).toEqual(['quiet']);
    expect(shown({ order: 'name' })).toEqual(names.toSorted());
  });

  test('beside another run: what is newly missed or alarms, and where they differ', () => {
    const before = table([0, 2, 2, 2, 2], [0, 0, 1, 0, 1, 0, 1, 0, 0, 1]);
    expect(shown({ show: 'missed' }, before)).toEqual(['missed']);
    expect(shown({ show: 'missed', classIndex: 0 }, before)).toEqual(['missed']);
    expect(shown({ show: 'alarms' }, before)).toEqual([]);
    expect(shown({ show: 'alarms', classIndex: 1 }, before)).toEqual(['found']);
    expect(shown({ show: 'differs' }, before)).toEqual(['missed']);
    expect(shown({ show: 'missed' }, now)).toEqual([]);
  });
});
