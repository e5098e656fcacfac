// Tensors as text, the way PyTorch prints them (torch._tensor_str): four digits, scientific notation if the range calls
// for it, aligned columns, and large tensors abbreviated.

import { isFloatingPoint } from '../native/dtype.js';
import { native } from '../native/native.js';
import { tidy } from './memory.js';
import { cat, slice } from './operators.generated.js';
import type { NestedArray, Tensor } from './tensorClass.js';

const precision = 4;
const threshold = 1000;
const edgeItems = 3;
const lineWidth = 80;

export function formatTensor(tensor: Tensor): string {
  const prefix = 'tensor(';
  const suffixes: string[] = [];
  const { dtype } = tensor;
  const empty = tensor.numel === 0;
  if (tensor.device !== 'cpu') suffixes.push(`device='${tensor.device}'`);
  if (empty && tensor.ndim !== 1) suffixes.push(`size=(${tensor.shape.join(', ')})`);
  const isDefault = dtype === 'float32' || (!empty && (dtype === 'int64' || dtype === 'bool'));
  if (!isDefault) suffixes.push(`dtype=torch.${dtype}`);
  const gradientFunction = native.gradientFunction(tensor.place);
  if (gradientFunction !== '') suffixes.push(`grad_fn=<${gradientFunction}>`);
  else if (tensor.requiresGrad) suffixes.push('requires_grad=True');
  const body = empty ? '[]' : formatBody(tensor, prefix.length);
  return withSuffixes(prefix + body, suffixes);
}

function formatBody(tensor: Tensor, indent: number): string {
  const summarize = tensor.numel > threshold;
  const values = tidy(() => (summarize ? summarized(tensor.detach()) : tensor.detach()).toArray());
  const format = formatter(flat(values), isFloatingPoint(tensor.dtype));
  return formatNested(values, format, tensor.shape, 0, indent, summarize);
}

type Element = number | bigint | boolean;

function formatter(values: readonly Element[], floating: boolean): (value: Element) => string {
  const measured = floating ? values.filter((value) => isFiniteNonZero(Number(value))) : values;
  const text = floating ? floatText(measured.map(Number)) : plainText;
  // As in PyTorch, zeros, nan and infinities do not widen the columns.
  const width = measured.reduce((widest: number, value) => Math.max(widest, text(value).length), 1);
  return (value) => text(value).padStart(width);
}

function plainText(value: Element): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}

// Integers in a float tensor get a dot; a range over 1000 or values under 1e-4 get scientific notation.
function floatText(nonZero: readonly number[]): (value: Element) => string {
  const magnitudes = nonZero.map(Math.abs);
  const largest = magnitudes.reduce((most, value) => Math.max(most, value), 0);
  const smallest = magnitudes.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const wide = largest / smallest > 1000 || largest > 1e8;
  if (nonZero.every((value) => Number.isInteger(value))) {
    if (wide) return scientific;
    return (value) =>
      Number.isFinite(Number(value)) ? `${fixed(Number(value), 0)}.` : special(Number(value));
  }
  return wide || smallest < 1e-4 ? scientific : (value) => fixed(Number(value), precision);
}

function isFiniteNonZero(value: number): boolean {
  return Number.isFinite(value) && value !== 0;
}

function scientific(value: Element): string {
  const number = Number(value);
  if (!Number.isFinite(number)) return special(number);
  const sign = Object.is(number, -0) ? '-' : '';
  return sign + number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return special(value);
  return (Object.is(value, -0) ? '-' : '') + value.toFixed(digits);
}

function special(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}

function formatNested(
  values: NestedArray,
  format: (value: Element) => string,
  shape: readonly number[],
  dimension: number,
  indent: number,
  summarize: boolean,
): string {
  if (!Array.isArray(values)) return format(values);
  const cut = summarize && (shape[dimension] ?? 0) > 2 * edgeItems;
  if (dimension === shape.length - 1) return formatRow(values, format, indent, cut);
  const parts = values.map((row) => formatNested(row, format, shape, dimension + 1, indent + 1, summarize));
  if (cut) parts.splice(edgeItems, 0, '...');
  const gap = `,${'\n'.repeat(shape.length - dimension - 1)}${' '.repeat(indent + 1)}`;
  return `[${parts.join(gap)}]`;
}

function formatRow(
  values: readonly NestedArray[],
  format: (value: Element) => string,
  indent: number,
  cut: boolean,
): string {
  const cells = values.map((value) => (Array.isArray(value) ? '' : format(value)));
  const elementLength = (cells[0]?.length ?? 0) + 2;
  const perLine = Math.max(1, Math.floor((lineWidth - indent) / elementLength));
  if (cut) cells.splice(edgeItems, 0, ' ...');
  const lines: string[] = [];
  for (let i = 0; i < cells.length; i += perLine) lines.push(cells.slice(i, i + perLine).join(', '));
  return `[${lines.join(`,\n${' '.repeat(indent + 1)}`)}]`;
}

function summarized(tensor: Tensor): Tensor {
  let view = tensor;
  tensor.shape.forEach((size, dimension) => {
    if (size > 2 * edgeItems)
      view = cat([slice(view, dimension, 0, edgeItems), slice(view, dimension, -edgeItems)], dimension);
  });
  return view;
}

function flat(values: NestedArray): Element[] {
  return Array.isArray(values) ? values.flatMap(flat) : [values];
}

function withSuffixes(text: string, suffixes: readonly string[]): string {
  let result = text;
  let lineLength = text.length - text.lastIndexOf('\n') + 1;
  for (const suffix of suffixes) {
    if (lineLength + suffix.length + 2 > lineWidth) {
      result += `,\n       ${suffix}`;
      lineLength = 7 + suffix.length;
    } else {
      result += `, ${suffix}`;
      lineLength += suffix.length + 2;
    }
  }
  return `${result})`;
}
