// The commands that the documentation tells a reader to run.

export interface ShellCommand {
  readonly line: string;
  /** What follows `anyclass`. */
  readonly words: readonly string[];
}

/** The lines of code blocks that run `anyclass`, as words. */
export function shellCommands(text: string): ShellCommand[] {
  return Array.from(text.matchAll(/^```(?:bash|sh|console)?\n(.*?)^```/gms), ([, block = '']) => block)
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .flatMap((line) => line.split(/ && | \| |; /))
    .flatMap((part) => {
      const words = shellWords(part);
      const at = words.indexOf('anyclass');
      const isRun = at >= 0 && words.slice(0, at).every((word) => word === 'npx' || /^[A-Z_]+=/.test(word));
      const own = words.slice(at + 1);
      if (!isRun || own.length === 0 || own.some((word) => /^(--help|--version|help)$/.test(word))) return [];
      return [{ line: part.trim(), words: own }];
    });
}

/** Splits a line as a shell does: quotes group, a comment or a redirection ends it. */
function shellWords(line: string): string[] {
  const words: string[] = [];
  for (const [text] of line.trim().matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    if (/^(#|>|<|2>|&$)/.test(text)) break;
    words.push(text.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return words;
}
