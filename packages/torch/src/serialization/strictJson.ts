// Parses JSON from untrusted files. JSON.parse silently keeps the last of two equal keys, so two readers may see two
// different files; and text that consists only of brackets takes a hundred times its size in memory.

import { quoted } from './errors.js';

/**
 * Parses JSON without duplicate keys and without deep nesting; a `SyntaxError` says what is wrong.
 *
 * @example
 * parseStrictJson('{"a": [1, 2]}') // { a: [1, 2] }
 * parseStrictJson('{"a": 1, "a": 2}') // SyntaxError: the key "a" appears twice in one object
 */
export function parseStrictJson(text: string): unknown {
  refuseDuplicatesAndDepth(text);
  return JSON.parse(text);
}

const deepest = 16;

/** Runs before the parser, so it accepts any text; JSON.parse reports invalid JSON afterwards. */
function refuseDuplicatesAndDepth(text: string): void {
  const open: Set<string>[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '{' || character === '[') {
      if (open.length === deepest) throw new SyntaxError(`more than ${deepest} levels of nesting`);
      open.push(new Set());
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === '"') {
      const end = endOfString(text, i);
      const keys = open.at(-1);
      if (keys !== undefined && isFollowedByColon(text, end)) {
        // Escapes can spell one key in several ways, so decoded keys are compared.
        const key: unknown = JSON.parse(text.slice(i, end));
        if (typeof key === 'string') {
          if (keys.has(key)) {
            throw new SyntaxError(`the key ${quoted(key)} appears twice in one object`);
          }
          keys.add(key);
        }
      }
      i = end - 1;
    }
  }
}

/** Returns the position after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  throw new SyntaxError('a string that does not end');
}

function isFollowedByColon(text: string, position: number): boolean {
  let i = position;
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++;
  return text[i] === ':';
}
