// Names come from data and may hold anything, also what would move the cursor, retitle the window, or show text in
// another order than it has.

// Controls except tab and line break, and the marks that direct text. By category, since a linter takes control
// characters in a pattern for a mistake.
const invisible = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text as it may be written to a terminal: what would be obeyed instead of shown is written as in JSON.
 *
 * @example
 * escaped('red\u001b[31m') // 'red\\u001b[31m'
 */
export function escaped(text: string): string {
  return text.replace(invisible, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A name in a message: it could otherwise pass for a message of its own, and take another width than it shows.
 *
 * @example
 * inOneLine('a\nanyclass: all is well') // 'a\\nanyclass: all is well'
 */
export function inOneLine(name: string): string {
  return escaped(name.replaceAll('\r', '\\r').replaceAll('\n', '\\n'));
}

/** What is wrong with something that data names, in one line. */
export function lineAbout(name: string, reason: string): string {
  return `${inOneLine(name)}: ${inOneLine(reason)}`;
}
