import { describe, expect, test } from 'vitest';
import { emitFunctions, emitMethods, typescriptName } from './emit.js';
import { allChoices, guarded, methods } from './operators.js';
import { parseSchema } from './schema.js';

const operation = (text: string, more: readonly string[] = []) => ({
  choice: { operator: text.slice('aten::'.length, text.search(/[.(]/)), overloads: [''] },
  schemas: [text, ...more].map(parseSchema),
});

describe('a function', () => {
  test('takes positional parameters, then its keywords in one object', () => {
    const text = emitFunctions([
      operation(
        'aten::sum.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor',
      ),
    ]);
    expect(text).toContain(
      'export function sum(self: Tensor, dim?: number | readonly number[] | null, keepdim?: boolean, options: { dtype?: Dtype | undefined } = {}): Tensor {',
    );
    expect(text).toContain(
      "native.call(SUM_DIM_OPERATOR.number, place(self, 'sum'), dim, keepdim, dtypeCode(options?.dtype, 'sum'))",
    );
  });

  test('chooses its overload by its arguments', () => {
    const text = emitFunctions([
      operation('aten::mul.Tensor(Tensor self, Tensor other) -> Tensor', [
        'aten::mul.Scalar(Tensor self, Scalar other) -> Tensor',
      ]),
    ]);
    expect(text).toContain('export function mul(self: Tensor, other: Tensor | Scalar): Tensor {');
    expect(text).toContain('if (other instanceof Tensor) {');
  });

  test('that works in place returns its own tensor', () => {
    const text = emitFunctions([operation('aten::zero_(Tensor(a!) self) -> Tensor(a!)')]);
    expect(text).toContain("native.callInPlace(ZERO_IN_PLACE.number, place(self, 'zero_'));");
    expect(text).toContain('return self;');
  });

  test('calls its guard first', () => {
    const text = emitFunctions([operation('aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor')]);
    expect(text).toContain('  guards.pixelShuffle(upscaleFactor);\n  return');
  });

  test('with a result that has no TypeScript form is refused', () => {
    expect(() => emitFunctions([operation('aten::item(Tensor self) -> Scalar')])).toThrow(
      'no TypeScript form for its result',
    );
  });
});

test('a method passes the tensor as the first argument', () => {
  const text = emitMethods([operation('aten::exp(Tensor self) -> Tensor')]);
  expect(text).toContain('exp(this: Tensor): Tensor {\n    return operators.exp(this);');
});

test('no two functions have the same name, and methods are functions too', () => {
  const names = allChoices.map(typescriptName);
  expect(names.length).toBe(new Set(names).size);
  for (const method of methods) expect(allChoices).toContain(method);
});

test('every guard belongs to an existing function', () => {
  const names = new Set(allChoices.map(typescriptName));
  expect(Object.keys(guarded).filter((name) => !names.has(name))).toEqual([]);
});
