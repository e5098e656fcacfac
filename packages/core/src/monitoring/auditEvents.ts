// The lines of a log that can change what is known about a promise: alarms, and images that were drawn to be labeled.

import type { Key } from '../labels/distinctKeys.js';
import { groupHash } from '../labels/groups.js';
import { type AuditLabels, checkLine, isAlarm, isCleared, type LogLine } from './logLine.js';

/** An alarm, or an image that was drawn. */
export interface AuditEvent {
  /** The number of its line, from 1. */
  readonly line: number;
  readonly id: string;
  readonly q: number;
  readonly isAlarm: boolean;
  readonly isCleared: boolean;
  readonly wasDrawn: boolean;
  /** Undefined if it has no label, or an undecided one. */
  readonly isNegative: boolean | undefined;
}

interface GroupChoice {
  readonly hash: number;
  readonly isAlarm: boolean;
  /** Its place among the events; -1 for a line that is none. */
  readonly event: number;
}

/** Collects the lines of a log; keeps only what later results need. */
export class AuditCollector {
  readonly #labels: AuditLabels;
  readonly #ids = new Set<string>();
  readonly #groups = new Map<string, GroupChoice>();
  readonly #events: (AuditEvent | undefined)[] = [];
  #lines = 0;
  #images = 0;
  #alarms = 0;

  constructor(labels: AuditLabels) {
    this.#labels = labels;
  }

  add(line: LogLine): void {
    this.#lines++;
    checkLine(line, this.#lines);
    const { id, audit, group } = line;
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    if (audit === undefined) return;
    const alarm = isAlarm(line);
    const event = this.#events.length;
    const isEvent = alarm || audit.drawn;
    if (
      group !== undefined &&
      !this.#isChosen(group, {
        hash: groupHash(`${group}\n${id}`),
        isAlarm: alarm,
        event: isEvent ? event : -1,
      })
    ) {
      return;
    }
    this.#images++;
    if (alarm) this.#alarms++;
    if (!isEvent) return;
    this.#events.push({
      line: this.#lines,
      id,
      q: audit.q,
      isAlarm: alarm,
      isCleared: isCleared(line),
      wasDrawn: audit.drawn,
      isNegative: this.#labels.get(id),
    });
  }

  /** Of a group, the line with the smallest hash counts; one that counted before is taken back. */
  #isChosen(group: Key, choice: GroupChoice): boolean {
    const name = String(group);
    const before = this.#groups.get(name);
    if (before && before.hash <= choice.hash) return false;
    this.#groups.set(name, choice);
    if (!before) return true;
    this.#images--;
    if (before.isAlarm) this.#alarms--;
    if (before.event >= 0) this.#events[before.event] = undefined;
    return true;
  }

  /** The number of lines that count; next, how many of them are alarms. */
  get images(): number {
    return this.#images;
  }
  get alarms(): number {
    return this.#alarms;
  }

  hasLine(id: string): boolean {
    return this.#ids.has(id);
  }

  events(): AuditEvent[] {
    return this.#events.filter((event) => event !== undefined);
  }
}
