// Runs both sides of a comparison alternately, so that a noisy machine affects both alike, and prints the ratios.

import { spawnSync } from 'node:child_process';

/** One side's measurements, by name. */
export type Measured = Readonly<Record<string, number>>;

export interface Line {
  readonly name: string;
  readonly unit: string;
  /** Limit for the ratio of our result to the peer's: a maximum, or a minimum if more is better. */
  readonly limit?: number;
  readonly moreIsBetter?: boolean;
}

/** The output's last line holds what the side measured, as JSON; earlier lines are printed. */
export function runSide(
  program: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Measured {
  const result = spawnSync(program, parameters, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
    env: { ...process.env, ...environment },
  });
  if (result.status !== 0)
    throw new Error(`${program} ${parameters.join(' ')} failed (${result.status ?? result.signal})`);
  const lines = result.stdout.trimEnd().split('\n');
  for (const line of lines.slice(0, -1)) console.log(line);
  const measured: Measured = JSON.parse(lines.at(-1) ?? '{}');
  return measured;
}

/** The best result of several rounds: noise only ever slows a run down. */
function best(rounds: readonly Measured[], { name, moreIsBetter = false }: Line): number {
  const values = rounds.map((round) => round[name] ?? Number.NaN);
  return moreIsBetter ? Math.max(...values) : Math.min(...values);
}

/** Runs ours and the peer alternately; returns the Markdown table that it prints. */
export function compare(
  lines: readonly Line[],
  ours: () => Measured,
  peer: () => Measured,
  { rounds = 3, peerName = 'PyTorch' }: { readonly rounds?: number; readonly peerName?: string } = {},
): string {
  const results = Array.from({ length: rounds }, (_, round) => {
    console.log(`round ${round + 1} of ${rounds}`);
    return { ours: ours(), peer: peer() };
  });
  const rows = lines.map((line) => {
    const mine = best(
      results.map((result) => result.ours),
      line,
    );
    const theirs = best(
      results.map((result) => result.peer),
      line,
    );
    const ratio = mine / theirs;
    const sign = line.moreIsBetter ? '≥' : '≤';
    const kept = line.limit === undefined || (line.moreIsBetter ? ratio >= line.limit : ratio <= line.limit);
    const limit = line.limit === undefined ? '' : `${sign} ${line.limit}${kept ? '' : ' **missed**'}`;
    return `| ${line.name} | ${rounded(mine)} ${line.unit} | ${rounded(theirs)} ${line.unit} | ${ratio.toFixed(2)} | ${limit} |`;
  });
  const table = [`| | ours | ${peerName} | ratio | target |`, '|---|---|---|---|---|', ...rows].join('\n');
  console.log(`\n${table}\n`);
  return table;
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
