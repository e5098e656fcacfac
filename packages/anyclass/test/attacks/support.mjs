// Shared by the attacks: how bytes are damaged, which errors are meant for users, and how commands are run.

import { fileURLToPath } from 'node:url';
import { FileError } from '@anyclass/files';
import { WeightFileError } from '@anyclass/torch';
import { runProgram } from '../../dist/commandLine/program.js';
import { commandEntries } from '../../dist/commands/entries.js';
import { UserError } from '../../dist/errors/userError.js';

export const fixtures = fileURLToPath(new URL('../fixtures/data', import.meta.url));
export const checkpoints = fileURLToPath(
  new URL('../../../torch/test/fixtures/checkpoints', import.meta.url),
);
export const format = { width: 16, height: 16, channels: 3 };

/** Whether an error is meant for users, with a message that they can act on. */
export const isMeant = (error) =>
  error instanceof UserError || error instanceof WeightFileError || error instanceof FileError;

/** A copy with bytes truncated, flipped, zeroed, repeated, inserted, or randomized. */
export function damaged(bytes, draw) {
  if (bytes.length === 0) return Buffer.from([draw.below(256)]);
  const copy = Buffer.from(bytes);
  const at = draw.below(copy.length);
  switch (draw.below(6)) {
    case 0:
      return copy.subarray(0, at);
    case 1:
      for (let i = 0; i <= draw.below(8); i++) {
        const place = draw.below(copy.length);
        copy[place] ^= 1 << draw.below(8);
      }
      return copy;
    case 2:
      return copy.fill(0, at, Math.min(copy.length, at + 1 + draw.below(64)));
    case 3:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(Math.max(0, at - 40))]);
    case 4:
      return Buffer.concat([
        copy.subarray(0, at),
        Buffer.from(['"', '\0', '{', '\n', ',', '\ufeff', '__proto__'][draw.below(7)]),
        copy.subarray(at),
      ]);
    default:
      for (let i = at; i < Math.min(copy.length, at + 32); i++) copy[i] = draw.below(256);
      return copy;
  }
}

/** Runs every case. Returns the problems found, each with its case number. */
export async function each(count, drawOf, attack) {
  const problems = [];
  for (let i = 0; i < count; i++) {
    const problem = await attack(drawOf(i), i).catch((error) => `broke the attack: ${error.stack}`);
    if (problem !== undefined) problems.push(`case ${i}: ${problem}`);
  }
  return problems;
}

/** Runs a command in this process. */
export async function anyclass(words) {
  const notes = [];
  const terminal = { print() {}, note: (text) => notes.push(text), onEvent() {} };
  const code = await runProgram(commandEntries, words, terminal);
  return { code, said: notes.join('\n') };
}
