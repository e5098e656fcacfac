/**
 * Returns text for HTML and SVG, also for attribute values in quotes. Markup stays text, and so do characters that would
 * act on the text around them: control characters and bidirectional marks become visible names, such as ⟨RLO⟩. Tabs and
 * line breaks are kept.
 *
 * @example
 * escaped('a < "b"') // 'a &lt; &quot;b&quot;'
 * escaped('gnp.\u202egpj') // 'gnp.⟨RLO⟩gpj'
 */
export function escaped(text: string): string {
  return verbatim(visible(text));
}

/**
 * Returns text in which control characters and bidirectional marks are visible names; for text that is not HTML, such as a node of a page.
 *
 * @example
 * visible('<gnp.\u202egpj>') // '<gnp.⟨RLO⟩gpj>'
 */
export function visible(text: string): string {
  return text.replaceAll(active, nameOf);
}

/**
 * Returns a name for HTML that may be broken after its separators: better than in the middle of a word.
 *
 * @example
 * breakable('Pleural_Thickening') // 'Pleural_<wbr>Thickening'
 */
export function breakable(name: string): string {
  return escaped(name).replaceAll(/(?:[_/@=-]|(?<!\d)\.)(?=\w)/g, '$&<wbr>');
}

/**
 * Returns a sentence for HTML in which short words with hyphens, and numbers with their units, stay on one line.
 *
 * @example
 * unbroken('any-bce beats bce') // '<span class="unbroken">any-bce</span> beats bce'
 */
export function unbroken(sentence: string): string {
  const parts = /(?<!\S)(?:\w{1,10}-\w{1,10}|[\d,.]+ (?:px|class(?:es)?|points?))\b/g;
  return escaped(sentence).replaceAll(parts, '<span class="unbroken">$&</span>');
}

/** Returns text for HTML with nothing changed but markup; for text to copy, such as a table as CSV. */
export function verbatim(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Marks that change the direction of the text around them. */
const marks: Readonly<Record<string, string>> = {
  '\u061c': 'ALM',
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
};

/** Those marks, and control characters other than tab and line breaks. */
const active = /(?![\t\n\r])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function nameOf(character: string): string {
  const name = marks[character];
  if (name !== undefined) return `⟨${name}⟩`;
  const code = character.codePointAt(0) ?? 0;
  // Unicode has pictures of the first control characters.
  return code < 0x20
    ? String.fromCodePoint(0x2400 + code)
    : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
