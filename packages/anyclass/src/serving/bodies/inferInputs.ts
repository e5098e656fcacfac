// The inputs of a request of the Open Inference Protocol.

import type { StoredImage } from '../../data/dataset/imageSource.js';
import { type FeatureFormat, type InputFormat, isFeatureFormat } from '../../data/dataset/inputs.js';
import { Problem } from '../../web/problem.js';
import type { InferRequest } from '../api/schemas.js';
import type { FeatureRow } from '../models/modelVersion.js';
import { base64Bytes } from './jsonImages.js';

/** The most dimensions of a tensor. */
const deepest = 8;

/**
 * Returns the images or rows of a request for a model with this input.
 *
 * @throws Problem that names the field
 */
export function inferInputs(
  { inputs }: InferRequest,
  format: InputFormat,
): readonly (StoredImage | FeatureRow)[] {
  const [input, another] = inputs;
  if (!input || another) throw new Problem('bad-request', 'inputs: expected one input');
  const { name, datatype, shape, data } = input;
  const values = flattened(data);
  if (isFeatureFormat(format)) return inputRows(input, values, format);
  if (name === 'image') {
    expectTensor(input, 'BYTES', [values.length]);
    return values.map((value, i) => {
      if (typeof value !== 'string')
        throw new Problem('bad-request', `inputs.image.data.${i}: expected text`);
      return { kind: 'encoded', bytes: base64Bytes(value, `inputs.image.data.${i}`) };
    });
  }
  if (name !== 'pixels')
    throw new Problem('bad-request', `inputs: no input '${name}'; expected image or pixels`);
  const { width, height, channels } = format;
  const stride = width * height * channels;
  expectTensor({ name, datatype, shape }, 'UINT8', [values.length / stride, height, width, channels]);
  const pixels = Uint8Array.from(values, (value, i) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255) return value;
    throw new Problem('bad-request', `inputs.pixels.data.${i}: expected a whole number from 0 to 255`);
  });
  return Array.from({ length: shape[0]! }, (_, i) => ({
    kind: 'pixels',
    pixels: pixels.subarray(i * stride, (i + 1) * stride),
    width,
    height,
    channels,
  }));
}

/**
 * Returns the numbers or texts of nested lists. Not with `flat`, which takes longer than parsing the JSON.
 *
 * @throws Problem if they are deeper than any tensor, which would only exhaust the stack
 */
function flattened(data: readonly unknown[], depth = 1): readonly unknown[] {
  if (depth > deepest) throw new Problem('bad-request', `inputs.data: nested more than ${deepest} deep`);
  if (!data.some(Array.isArray)) return data;
  const values: unknown[] = [];
  for (const entry of data) {
    if (!Array.isArray(entry)) values.push(entry);
    else for (const value of flattened(entry, depth + 1)) values.push(value);
  }
  return values;
}

function inputRows(
  input: InferRequest['inputs'][number],
  values: readonly unknown[],
  { features }: FeatureFormat,
): FeatureRow[] {
  if (input.name !== 'features')
    throw new Problem('bad-request', `inputs: no input '${input.name}'; expected features`);
  expectTensor(input, 'FP32', [values.length / features, features]);
  const numbers = values.map((value, i) => {
    if (typeof value === 'number') return value;
    if (value === null) return Number.NaN;
    throw new Problem(
      'bad-request',
      `inputs.features.data.${i}: expected a number, or null for a missing one`,
    );
  });
  return Array.from({ length: input.shape[0]! }, (_, i) => ({
    kind: 'row',
    values: numbers.slice(i * features, (i + 1) * features),
  }));
}

function expectTensor(
  {
    name,
    datatype,
    shape,
  }: { readonly name: string; readonly datatype: string; readonly shape: readonly number[] },
  type: string,
  expected: readonly number[],
): void {
  if (datatype !== type)
    throw new Problem('bad-request', `inputs.${name}.datatype: expected ${type}; got ${datatype}`);
  if (shape.join() !== expected.join() || shape[0] === 0) {
    const wanted = expected.map((size) => (Number.isInteger(size) && size > 0 ? size : 'N')).join(', ');
    throw new Problem(
      'bad-request',
      `inputs.${name}.shape: expected [${wanted}] for its data; got [${shape.join(', ')}]`,
    );
  }
}
