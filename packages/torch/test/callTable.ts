// What the wrong-call test may call: every generated function with its parameters, read from the schemas in its comments,
// and the handwritten functions.

import { readFileSync } from 'node:fs';
import { parseSchema, type SchemaParameter } from '../generate/schema.js';
import { operatorExamples } from './examples/index.js';
import type { CallParameter } from './programs/randomArguments.js';
import type { Callee, CallTable } from './programs/wrongCalls.js';

export function callTable(): CallTable {
  const source = readFileSync(new URL('../src/tensor/operators.generated.ts', import.meta.url), 'utf8');
  const generated = [...source.matchAll(/\/\*\* (.+) \*\/\nexport function (\w+)\(/g)].flatMap(
    ([, schemas = '', name = '']) =>
      generatedCallees(
        name,
        [...schemas.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
      ),
  );
  return { callees: [...generated, ...handWritten], examples: operatorExamples };
}

function generatedCallees(name: string, schemaTexts: readonly string[]): Callee[] {
  const schemas = schemaTexts.map(parseSchema);
  const names = [name, ...schemas.map((schema) => schema.name.replace(/\..*/, ''))];
  // Each overload is a separate entry, called in the form of the first.
  return schemas.map((schema) => ({
    name,
    home: 'operators',
    answersTo: names,
    parameters: callParameters(schemas[0]?.parameters ?? [], schema.parameters),
  }));
}

function callParameters(
  form: readonly SchemaParameter[],
  overload: readonly SchemaParameter[],
): CallParameter[] {
  return form
    .filter((parameter) => parameter.type !== 'Generator' && parameter.type !== 'Layout')
    .map((parameter) => {
      const typed = overload.find((other) => other.name === parameter.name) ?? parameter;
      return {
        name: parameter.name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        type: typed.type,
        optional: parameter.optional || parameter.defaultText !== undefined,
        keywordOnly: parameter.keywordOnly,
      };
    });
}

const positional = (type: string, optional = false): CallParameter => ({
  name: type,
  type,
  optional,
  keywordOnly: false,
});
const option = (name: string, type: string): CallParameter => ({
  name,
  type,
  optional: true,
  keywordOnly: true,
});
const creationOptions = [
  option('dtype', 'ScalarType'),
  option('device', 'Device'),
  option('requiresGrad', 'bool'),
];
const creation = (name: string, ...types: readonly string[]): Callee => ({
  name,
  home: 'torch',
  answersTo: [name, `aten::${name}`, 'requiresGrad'],
  parameters: [...types.map((type) => positional(type)), ...creationOptions],
});
const method = (name: string, ...parameters: readonly CallParameter[]): Callee => ({
  name,
  home: 'Tensor',
  answersTo: [name, `aten::${name}`],
  parameters: [positional('Tensor'), ...parameters],
});

// Indexing is composed of these operators, whose errors are more specific than its own.
const indexing = (name: string, ...parameters: readonly CallParameter[]): Callee => ({
  ...method(name, ...parameters),
  answersTo: [
    name,
    'aten::select',
    'aten::slice',
    'aten::index',
    'aten::index_put_',
    'aten::copy_',
    'aten::fill_',
    'aten::full',
    'aten::unsqueeze',
  ],
});

const handWritten: readonly Callee[] = [
  creation('zeros', 'int[]'),
  creation('ones', 'int[]'),
  creation('full', 'int[]', 'Scalar'),
  creation('empty', 'int[]'),
  creation('eye', 'int'),
  creation('arange', 'Scalar', 'Scalar', 'Scalar'),
  creation('linspace', 'Scalar', 'Scalar', 'int'),
  creation('rand', 'int[]'),
  creation('randn', 'int[]'),
  creation('randint', 'int', 'int', 'int[]'),
  creation('randperm', 'int'),
  {
    ...creation('tensor', 'data'),
    answersTo: ['tensor', 'requiresGrad', 'aten::to'],
    parameters: [positional('data'), ...creationOptions, option('shape', 'int[]')],
  },
  indexing('at', positional('index'), positional('index'), positional('index')),
  indexing('set', positional('index'), positional('Scalar')),
  indexing('set', positional('index'), positional('Tensor')),
  method('to', positional('ScalarType')),
  method('to', positional('Device')),
  method('item'),
  method('toArray'),
  method('toTypedArray'),
  method('toFloat32Array'),
  method('toString'),
  method('isContiguous', positional('MemoryFormat')),
  method('backward', positional('Tensor', true)),
  method('setData', positional('Tensor')),
  method('add', positional('Scalar')),
  method('matmul', positional('Tensor')),
  method('sum', positional('int[]', true)),
];
