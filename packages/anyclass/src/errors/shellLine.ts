/**
 * Returns a line that a POSIX shell reads as these words.
 *
 * @example
 * shellLine(['anyclass', 'train', '--resume', 'my runs/first']) // "anyclass train --resume 'my runs/first'"
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
