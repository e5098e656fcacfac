/** The message of an unknown thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The reason in an unknown thrown value, as one line. */
export function reasonOf(thrown: unknown): string {
  return messageOf(thrown)
    .replace(/\s*\n\s*/g, '; ')
    .trim();
}
