// Calls the typed functions with random arguments. Each call must return a result or throw an error that names the
// function. If this process crashes, its parent reads the last call from the log.
//
// node wrongCalls.js TABLE LOG SEED COUNT [FIRST_ROUND]

import { openSync, readFileSync, writeSync } from 'node:fs';
import * as torch from '@anyclass/torch';
import { Tensor, tidy } from '@anyclass/torch';
import { type LegalCall, mutatedArguments } from './mutatedArguments.js';
import {
  type CallParameter,
  describeArgument,
  pick,
  type Random,
  randomArgument,
  seededRandom,
  tensorPool,
} from './randomArguments.js';

export interface Callee {
  readonly name: string;
  /** Where the function is found: `operators`, `torch`, or a method of Tensor. */
  readonly home: 'operators' | 'torch' | 'Tensor';
  /** Names that an error may start with: the function's own, and those of the operators that it calls. */
  readonly answersTo: readonly string[];
  readonly parameters: readonly CallParameter[];
}

export interface CallTable {
  readonly callees: readonly Callee[];
  readonly examples: readonly LegalCall[];
}

const [table = '', log = '', seedText = '0', countText = '0', firstRound = '0'] = process.argv.slice(2);
const { callees, examples }: CallTable = JSON.parse(readFileSync(table, 'utf8'));
const generated = new Map(
  callees.filter((callee) => callee.home === 'operators').map((callee) => [callee.name, callee]),
);
const operators: Record<string, unknown> = await import(
  new URL('./tensor/operators.generated.js', import.meta.resolve('@anyclass/torch')).href
);
const homes: Record<Callee['home'], Record<string, unknown>> = {
  operators,
  torch: { ...torch },
  Tensor: Object.fromEntries(
    [torch.Tensor.prototype, Object.getPrototypeOf(torch.Tensor.prototype)].flatMap((prototype) =>
      Object.entries(Object.getOwnPropertyDescriptors(prototype)).map(([name, property]) => [
        name,
        property.value,
      ]),
    ),
  ),
};
const file = openSync(log, 'w');
const faults: string[] = [];
const outcomes = { legal: 0, refused: 0, faults };

const seed = Number(seedText);
const callsPerPool = 40;
for (let round = Number(firstRound); round * callsPerPool < Number(countText); round++) {
  // Each round has its own seed, so that it can be repeated alone.
  const random = seededRandom(seed * 1_000_003 + round);
  torch.setSeed(seed);
  tidy(() => {
    const pool = tensorPool(random, 24);
    for (let i = 0; i < callsPerPool; i++)
      tidy(() => callOnce(random, pool, `seed ${seed}, round ${round}, call ${i}`));
  });
  if (round % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
}
process.stdout.write(JSON.stringify(outcomes));

function callOnce(random: Random, pool: readonly Tensor[], label: string): void {
  const { callee, values } = random() < 0.3 ? randomCall(random, pool) : mutatedCall(random, pool);
  const differentiate = random() < 0.5;
  const shown = values.map(describeArgument).join(', ');
  const text = `${label}: ${callee.home}.${callee.name}(${shown})${differentiate ? '.backward()' : ''}`;
  writeSync(file, `${text.slice(0, 4000).padEnd(4000)}\n`, 0);
  judge(callee, values, text, () => {
    const result = call(callee, values);
    if (differentiate) backward(result);
  });
}

interface Call {
  readonly callee: Callee;
  readonly values: unknown[];
}

function randomCall(random: Random, pool: readonly Tensor[]): Call {
  const callee = pick(random, callees);
  const keywords = callee.parameters.filter((parameter) => parameter.keywordOnly);
  const values = callee.parameters
    .filter((parameter) => !parameter.keywordOnly)
    .map((parameter) => randomArgument(random, parameter, pool));
  if (keywords.length > 0 && random() < 0.6) {
    const chosen = keywords.filter(() => random() < 0.7);
    const options = chosen.map((parameter) => [parameter.name, randomArgument(random, parameter, pool)]);
    values.push(random() < 0.03 ? null : Object.fromEntries(options));
  }
  if (random() < 0.05) values.length = Math.floor(random() * values.length);
  if (callee.home === 'Tensor') values[0] = pick(random, pool);
  return { callee, values };
}

function mutatedCall(random: Random, pool: readonly Tensor[]): Call {
  const example = pick(random, examples);
  const callee = generated.get(example.name);
  if (!callee) throw new Error(`no function ${example.name}`);
  return { callee, values: mutatedArguments(random, example, pool) };
}

function call(callee: Callee, values: readonly unknown[]): unknown {
  const found = homes[callee.home][callee.name];
  if (typeof found !== 'function')
    throw new Error(`the table names ${callee.home}.${callee.name}, which is no function`);
  return callee.home === 'Tensor' ? found.apply(values[0], values.slice(1)) : found(...values);
}

function backward(result: unknown): void {
  for (const output of Array.isArray(result) ? result : [result]) {
    if (output instanceof Tensor && !output.isDisposed && output.requiresGrad && !output.isLeaf)
      output.sum(null).backward();
  }
}

function judge(callee: Callee, values: readonly unknown[], text: string, run: () => void): void {
  try {
    run();
    outcomes.legal++;
  } catch (error) {
    outcomes.refused++;
    const complaint = complaintAbout(error, callee, values);
    if (complaint) faults.push(`${text}\n    ${complaint}`);
  }
}

function complaintAbout(error: unknown, callee: Callee, values: readonly unknown[]): string | undefined {
  if (!(error instanceof Error)) return `threw ${String(error)}, which is no Error`;
  const names = [...callee.answersTo, 'backward', 'aten::sum'];
  // `add: …`, `aten::add.Tensor: …` or `aten::add takes …`
  const named = /^((?:aten::)?\w+)(?:\.\w+)?(?:: | takes )/.exec(error.message)?.[1] ?? '';
  if (!names.includes(named)) return `does not name the function: ${error.stack}`;
  const [first] = values;
  const tensorTaken = callee.parameters[0]?.type === 'Tensor' && first instanceof Tensor && !first.isDisposed;
  // A number that indexing turns into a tensor has no shape to show, and a missing operator never received one.
  const called = /^aten::(?!full)/.test(error.message) && !error.message.includes('no such operator');
  if (tensorTaken && called && !/(int|float|bool)\d*\[/.test(error.message)) {
    return `does not show the shapes: ${error.message}`;
  }
  return undefined;
}
