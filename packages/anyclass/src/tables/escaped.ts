/**
 * Text that HTML shows as it is, also inside an attribute's quotes.
 *
 * @example
 * escaped('a < "b"') // 'a &lt; &quot;b&quot;'
 */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
