/** The value of a JSON text, or undefined where it is none: what a killed process wrote may be cut off. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
