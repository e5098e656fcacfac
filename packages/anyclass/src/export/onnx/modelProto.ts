// Encodes a graph as an ONNX file. Field numbers are those of onnx.proto.

import { createHash } from 'node:crypto';
import { UserError } from '../../errors/userError.js';
import { float, integer, joined, lazyBytes, message, type Part, packed, text } from '../../files/protobuf.js';
import { sealKey } from '../../inference/onnx/onnxChecksum.js';
import {
  type Attribute,
  byteLength,
  type ElementType,
  type Graph,
  type GraphNode,
  type GraphValue,
  type Initializer,
} from './graph/graph.js';

/** The version of the ONNX operators; old enough for all runtimes of recent years. */
const opset = 17;
const irVersion = 8;

export interface ModelFile {
  readonly graph: Graph;
  readonly producer: { readonly name: string; readonly version: string };
  readonly metadata: Readonly<Record<string, string>>;
}

/** Protocol Buffers cannot read longer messages. */
const longestFile = 2 ** 31 - 1;

/**
 * Encodes a model in parts, so that weights are read only as they are written. The same model gives the same
 * bytes. The last entry of the metadata is the SHA-256 of the bytes before it, which `onnxChecksum.ts`
 * verifies.
 *
 * @example
 * modelProto({ graph, producer, metadata: {} }).writeTo((bytes) => draft.write(bytes));
 */
export function modelProto({ graph, producer, metadata }: ModelFile): Part {
  const proto = sealed([
    integer(1, irVersion),
    text(2, producer.name),
    text(3, producer.version),
    message(7, graphFields(graph)),
    message(8, [integer(2, opset)]),
    ...Object.entries(metadata).map(([key, value]) => message(14, [text(1, key), text(2, value)])),
  ]);
  if (proto.length > longestFile)
    throw new UserError(`the model takes ${proto.length} bytes; an ONNX file must be smaller than 2 GiB`);
  return proto;
}

function sealed(parts: readonly Part[]): Part {
  const content = joined(parts);
  const seal = (digest: string) => message(14, [text(1, sealKey), text(2, digest)]);
  return {
    length: content.length + seal('0'.repeat(64)).length,
    writeTo(write) {
      const hash = createHash('sha256');
      content.writeTo((bytes) => {
        hash.update(bytes);
        write(bytes);
      });
      seal(hash.digest('hex')).writeTo(write);
    },
  };
}

function graphFields({ name, inputs, outputs, nodes, initializers }: Graph): Part[] {
  return [
    ...nodes.map((node) => message(1, nodeFields(node))),
    text(2, name),
    ...initializers.map((initializer) => message(5, tensorFields(initializer))),
    ...inputs.map((value) => message(11, valueFields(value))),
    ...outputs.map((value) => message(12, valueFields(value))),
  ];
}

function nodeFields({ inputs, outputs, name, operator, attributes }: GraphNode): Part[] {
  return [
    ...inputs.map((input) => text(1, input)),
    ...outputs.map((output) => text(2, output)),
    text(3, name),
    text(4, operator),
    ...Object.entries(attributes).map(([key, value]) => message(5, attributeFields(key, value))),
  ];
}

const attributeTypes = { float: 1, int: 2, text: 3, ints: 7 };

function attributeFields(name: string, attribute: Attribute): Part[] {
  const typed = (type: number, value: Part[]) => [text(1, name), ...value, integer(20, type)];
  if ('float' in attribute) return typed(attributeTypes.float, [float(2, attribute.float)]);
  if ('int' in attribute) return typed(attributeTypes.int, [integer(3, attribute.int)]);
  if ('text' in attribute) return typed(attributeTypes.text, [text(4, attribute.text)]);
  return typed(
    attributeTypes.ints,
    attribute.ints.map((value) => integer(8, value)),
  );
}

const elementTypes: Readonly<Record<ElementType, number>> = {
  float32: 1,
  int8: 3,
  int64: 7,
  bool: 9,
  float16: 10,
};

function tensorFields(initializer: Initializer): Part[] {
  const { name, type, shape, read } = initializer;
  return [
    packed(1, shape),
    integer(2, elementTypes[type]),
    text(8, name),
    lazyBytes(9, byteLength(initializer), read),
  ];
}

function valueFields({ name, type, shape }: GraphValue): Part[] {
  const sizes = shape.map((size) =>
    message(1, [typeof size === 'number' ? integer(1, size) : text(2, size)]),
  );
  return [text(1, name), message(2, [message(1, [integer(1, elementTypes[type]), message(2, sizes)])])];
}
