// Answers from other labeling programs, merged into the table of labels.

import { readFileSync } from 'node:fs';
import { fileProblem } from '@anyclass/files';
import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';
import { checkInputFile } from '../files/inputs.js';
import { parsedJson } from '../files/wholeFile.js';
import type { AuditList } from './auditItems.js';
import type { AuditAnswer } from './choices.js';
import { cvatAnswers } from './cvat.js';
import { labelStudioAnswers } from './labelStudio.js';

/**
 * Merges the answers of Label Studio (JSON) or CVAT (XML) into the labels of a log. Nothing is merged if an id is unknown or
 * an answer contradicts a label.
 *
 * @returns how many answers the file has
 */
export function importAnswers(file: string, { items, table }: Pick<AuditList, 'items' | 'table'>): number {
  const answers = readAnswers(file);
  const known = new Map(items.map((item) => [item.id, item]));
  for (const [id, answer] of answers) {
    if (!known.has(id)) throw new DataError(`${file}: ${id} is not among the audits of the log`);
    const before = table.answerOf(id);
    if (before && before.kind !== 'unsure' && !isSame(before, answer))
      throw new DataError(
        `${file}: ${id} is ${words(answer)}, but the labels say ${words(before)}; correct one`,
      );
  }
  for (const [id, answer] of answers) table.set(id, answer, known.get(id)?.name);
  return answers.size;
}

function readAnswers(file: string): Map<string, AuditAnswer> {
  checkInputFile(file);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${fileProblem(error)}`);
  }
  return answersIn(text, file);
}

/**
 * Reads the answers of Label Studio (JSON) or CVAT (XML), by id.
 *
 * @example
 * answersIn(text, 'export.json').get('3f2a') // { kind: 'negative' }
 */
export function answersIn(text: string, file: string): Map<string, AuditAnswer> {
  if (text.trimStart().startsWith('<')) return cvatAnswers(text, file);
  const value = parsedJson(text);
  if (value === undefined)
    throw new DataError(`${file}: neither JSON nor XML; expected an export of Label Studio or CVAT`);
  return labelStudioAnswers(value, file);
}

function isSame(first: AuditAnswer, second: AuditAnswer): boolean {
  const key = (answer: AuditAnswer) =>
    answer.kind === 'classes' ? answer.classes.toSorted().join('\n') : answer.kind;
  return first.kind === second.kind && key(first) === key(second);
}

function words(answer: AuditAnswer): string {
  if (answer.kind === 'classes') return answer.classes.join(' and ');
  return { negative: 'negative', positive: 'positive', unsure: 'unsure' }[answer.kind];
}
