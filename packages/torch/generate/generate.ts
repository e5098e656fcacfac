// `npm run generate` writes the typed operators. With --check, it compares them with the installed libtorch's schemas:
// on 1.13, from which they are generated, they must be identical; on newer versions, every call must still be accepted.
// With --find NAME, it prints the schemas that start with NAME.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { engineBuild } from '@anyclass/torch/builds';
import { emitFunctions, emitMethods, type Operation } from './emit.js';
import { allChoices, type Choice, methods } from './operators.js';
import { parseSchema, type Schema } from './schema.js';

const addon: { schemas(): string[]; version(): string } = createRequire(import.meta.url)(engineBuild().path);
const sourceOf = (file: string) => fileURLToPath(new URL(`../../src/${file}`, import.meta.url));

const schemas = addon.schemas();
const installed = new Map(schemas.map((text) => [text.slice(0, text.indexOf('(')), text]));
const isReference = addon.version().startsWith('1.13.');

const [action, name = ''] = process.argv.slice(2);
if (action === '--check') check();
else if (action === '--find') console.log(schemas.filter((text) => text.startsWith(name)).join('\n'));
else write();

function write(): void {
  if (!isReference)
    throw new Error(`the operators are generated from libtorch 1.13, but ${addon.version()} is installed`);
  for (const [file, text] of generated()) writeFileSync(sourceOf(file), text);
}

function check(): void {
  const problems = isReference ? staleFiles() : misfits();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`generated operators: ${allChoices.length} fit libtorch ${addon.version()}`);
}

function generated(): [string, string][] {
  return [
    ['tensor/operators.generated.ts', formatted(emitFunctions(allChoices.map(operation)))],
    ['tensor/tensorMethods.generated.ts', formatted(emitMethods(methods.map(operation)))],
  ];
}

function staleFiles(): string[] {
  return generated()
    .filter(([file, text]) => readFileSync(sourceOf(file), 'utf8') !== text)
    .map(([file]) => `packages/torch/src/${file} does not match the schemas; run 'npm run generate'`);
}

// A newer schema accepts our calls if it starts with the same parameters and requires no others.
function misfits(): string[] {
  const source = readFileSync(sourceOf('tensor/operators.generated.ts'), 'utf8');
  const expected = [...source.matchAll(/`(aten::[^`]+)`/g)].map((match) => parseSchema(match[1] ?? ''));
  return expected.flatMap((schema) => {
    const text = installed.get(schema.name);
    if (!text) return [`libtorch ${addon.version()} has no ${schema.name}`];
    return takesCallsOf(parseSchema(text), schema)
      ? []
      : [`${schema.name} changed:\n  ${schema.text}\n  ${text}`];
  });
}

function takesCallsOf(newer: Schema, older: Schema): boolean {
  const same = older.parameters.every((parameter, i) => {
    const other = newer.parameters[i];
    return (
      other?.name === parameter.name &&
      // A Scalar accepts the integers that the older schema took.
      (other.type === parameter.type || (other.type === 'Scalar' && parameter.type === 'int')) &&
      (other.optional || !parameter.optional)
    );
  });
  const rest = newer.parameters.slice(older.parameters.length);
  return (
    same && rest.every((p) => p.defaultText !== undefined) && newer.results.join() === older.results.join()
  );
}

function operation(choice: Choice): Operation {
  const schemas = choice.overloads.map((overload) => {
    const name = `aten::${choice.operator}${overload === '' ? '' : `.${overload}`}`;
    const text = choice.optionalSchema ?? installed.get(name);
    if (!text) throw new Error(`libtorch ${addon.version()} has no ${name}`);
    return parseSchema(text);
  });
  return { choice, schemas };
}

function formatted(text: string): string {
  const result = spawnSync('npx', ['biome', 'check', '--write', '--stdin-file-path=generated.ts'], {
    input: text,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`biome could not format the generated code:\n${result.stderr}`);
  return result.stdout;
}
