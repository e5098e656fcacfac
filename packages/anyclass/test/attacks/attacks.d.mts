export function runAttacks(
  countOf: (name: string, share: number) => number,
  seed?: number,
): Promise<
  readonly { readonly name: string; readonly tried: number; readonly problems: readonly string[] }[]
>;
