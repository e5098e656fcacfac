import { createRequire } from 'node:module';
import { engineBuild } from '@anyclass/torch/builds';
import { expect, test } from 'vitest';
import { parseSchema } from './schema.js';

test('a schema has a name with overload, parameters and results', () => {
  expect(parseSchema('aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor')).toEqual({
    text: 'aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor',
    name: 'aten::add.Tensor',
    parameters: [
      {
        type: 'Tensor',
        optional: false,
        broadcasts: false,
        name: 'self',
        defaultText: undefined,
        keywordOnly: false,
      },
      {
        type: 'Tensor',
        optional: false,
        broadcasts: false,
        name: 'other',
        defaultText: undefined,
        keywordOnly: false,
      },
      {
        type: 'Scalar',
        optional: false,
        broadcasts: false,
        name: 'alpha',
        defaultText: '1',
        keywordOnly: true,
      },
    ],
    results: ['Tensor'],
  });
});

test.each([
  ['an alias that is written to', 'aten::add_(Tensor(a!) self) -> Tensor(a!)', ['Tensor'], ['Tensor']],
  [
    'an alias of a list',
    'aten::split(Tensor(a -> *) self, int n) -> Tensor(a)[]',
    ['Tensor', 'int'],
    ['Tensor[]'],
  ],
  ['an alias set', 'aten::f(Tensor(a|b) self) -> Tensor(a|b)', ['Tensor'], ['Tensor']],
  ['a list that is written to', 'aten::f_(Tensor(a!)[] self) -> ()', ['Tensor[]'], []],
  [
    'a list with gaps',
    'aten::index(Tensor self, Tensor?[] indices) -> Tensor',
    ['Tensor', 'Tensor?[]'],
    ['Tensor'],
  ],
  [
    'named results',
    'aten::max(Tensor self, int dim) -> (Tensor values, Tensor indices)',
    ['Tensor', 'int'],
    ['Tensor', 'Tensor'],
  ],
  [
    'symbolic sizes',
    'aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)',
    ['Tensor', 'int[]'],
    ['Tensor'],
  ],
  ['no parameters', 'aten::seed() -> int', [], ['int']],
])('%s', (_, text, types, results) => {
  const schema = parseSchema(text);
  expect([schema.parameters.map((parameter) => parameter.type), schema.results]).toEqual([types, results]);
});

test('fixed-length lists broadcast, with or without a question mark', () => {
  const { parameters } = parseSchema(
    'aten::f(int[2] stride=[], int[1]? dim=None, SymInt[2] size, int[] any=[1, 2]) -> Tensor',
  );
  expect(
    parameters.map(({ type, optional, broadcasts, defaultText }) => [
      type,
      optional,
      broadcasts,
      defaultText,
    ]),
  ).toEqual([
    ['int[]', false, true, '[]'],
    ['int[]', true, true, 'None'],
    ['int[]', false, true, undefined],
    ['int[]', false, false, '[1, 2]'],
  ]);
});

test('a default may hold brackets, quotes and an equals sign', () => {
  const { parameters } = parseSchema('aten::f(str mode="a=b", float[] x=[1., 2.], *, int y=-1) -> Tensor');
  expect(parameters.map(({ name, defaultText }) => [name, defaultText])).toEqual([
    ['mode', '"a=b"'],
    ['x', '[1., 2.]'],
    ['y', '-1'],
  ]);
});

test('a parameter that cannot be read is named', () => {
  expect(() => parseSchema('aten::f(Tensor) -> Tensor')).toThrow("cannot read the parameter 'Tensor'");
});

test("every schema of libtorch's operators on tensors can be read", () => {
  const addon: { schemas(): string[] } = createRequire(import.meta.url)(engineBuild().path);
  const ours = addon.schemas().filter((text) => text.startsWith('aten::') && text.includes('Tensor'));
  expect(ours.length).toBeGreaterThan(1000);
  for (const text of ours) {
    const { name, parameters, results } = parseSchema(text);
    expect(text.startsWith(`${name}(`)).toBe(true);
    expect(
      [...parameters.map((parameter) => parameter.type), ...results].filter((type) => /[()!?]$/.test(type)),
    ).toEqual([]);
  }
});
