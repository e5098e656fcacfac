// A study's journal.jsonl: one line for each event; lines are only ever appended.

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { withPath } from '@anyclass/files';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { type StudyEvent, studyEvent } from './events.js';

export interface Journal {
  /** The events since the last call. */
  readNew(): StudyEvent[];
  /**
   * Appends events and syncs them to disk. Only one process at a time may do so; an unterminated last line
   * can then only come from a killed process, and is removed.
   */
  append(events: readonly StudyEvent[]): void;
}

/**
 * Opens a journal, which need not exist yet.
 *
 * @example
 * const journal = openJournal('studies/sewer/journal.jsonl');
 * journal.append([{ event: 'goal', trials: 30 }]);
 * journal.readNew() // [{ event: 'goal', trials: 30 }]
 */
export function openJournal(path: string): Journal {
  let position = 0;
  let lines = 0;
  const parse = (line: string): StudyEvent => {
    lines++;
    const result = studyEvent.safeParse(parsedJson(line));
    if (result.success) return result.data;
    throw new UserError(
      `${path}, line ${lines}: not a valid study event: ${line.slice(0, 80)}. Was the file edited? Delete the line to continue without it.`,
    );
  };
  return {
    readNew() {
      if (!existsSync(path)) return [];
      const text = whole(readFrom(path, position));
      position += text.length;
      return text.toString('utf8').split('\n').slice(0, -1).map(parse);
    },
    append(events) {
      const file = openSync(path, 'a+');
      try {
        const end = position + whole(readRest(file, position)).length;
        if (fstatSync(file).size > end) ftruncateSync(file, end);
        withPath(path, () =>
          writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join('')),
        );
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },
  };
}

/** The complete lines only. */
function whole(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
}

function readFrom(path: string, position: number): Buffer {
  const file = openSync(path, 'r');
  try {
    return readRest(file, position);
  } finally {
    closeSync(file);
  }
}

function readRest(file: number, position: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - position));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
}
