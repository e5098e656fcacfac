// The part of Python that a checkpoint of weights needs: plain containers, storages and the functions that make tensors
// from them (torch/_utils.py). Each is a pure function of its arguments.

import { containerCost, isPythonObject, type PickleMachine, type PickleValue } from './pickleMachine.js';
import type { PythonWorld } from './pickleObjects.js';
import { isCount, type StoredDType } from './storedTensor.js';

/** Everything else that is looked up or called is unknown: it keeps its name and has no effect. */
export const torchWorld: PythonWorld = {
  lookUp(module, name) {
    const className = `${module}.${name}`;
    return dtypeNames.has(className) ? className : { kind: 'global', className };
  },

  call(machine, callable, args) {
    if (!isPythonObject(callable) || (callable.kind !== 'global' && callable.kind !== 'unknown')) {
      throw machine.error('it calls something that is not a function');
    }
    machine.spend(containerCost);
    const { className } = callable;
    const known = callable.kind === 'global' ? functions.get(className) : undefined;
    if (known === undefined) return { kind: 'unknown', className };
    if (!Array.isArray(args)) throw machine.error(`it calls ${className} without a tuple of arguments`);
    return known(args, machine, className);
  },

  persistent(machine, id) {
    const [tag, type, key, , length] = Array.isArray(id) ? id : [];
    if (tag !== 'storage' || type === undefined || !isPythonObject(type) || type.kind !== 'global') {
      throw machine.error('it refers to something outside the pickle that is not a storage');
    }
    if (typeof key !== 'string' || !isCount(length)) {
      throw machine.error('it refers to a storage without a valid key and length');
    }
    machine.spend(containerCost);
    const dtype = storageDTypes.get(type.className);
    if (dtype === undefined) return { kind: 'unknown', className: type.className };
    return { kind: 'storage', dtype, key, length };
  },
};

/** Computes what Python's function would return; `name` is the function's name, for messages. */
type KnownFunction = (args: PickleValue[], machine: PickleMachine, name: string) => PickleValue;

const dtypeNames: ReadonlySet<string> = new Set(
  (
    'float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool uint16 uint32 uint64 ' +
    'complex32 complex64 complex128 quint8 qint8 qint32 quint4x2 quint2x4 ' +
    'float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu'
  )
    .split(' ')
    .map((name) => `torch.${name}`),
);

const storageDTypes: ReadonlyMap<string, StoredDType> = new Map([
  ['torch.DoubleStorage', 'float64'],
  ['torch.FloatStorage', 'float32'],
  ['torch.HalfStorage', 'float16'],
  ['torch.BFloat16Storage', 'bfloat16'],
  ['torch.LongStorage', 'int64'],
  ['torch.IntStorage', 'int32'],
  ['torch.ShortStorage', 'int16'],
  ['torch.CharStorage', 'int8'],
  ['torch.ByteStorage', 'uint8'],
  ['torch.BoolStorage', 'bool'],
  ['torch.storage.UntypedStorage', 'uint8'],
]);

const functions: ReadonlyMap<string, KnownFunction> = new Map<string, KnownFunction>([
  ['collections.OrderedDict', orderedDict],
  ['torch._utils._rebuild_tensor', rebuildTensor],
  ['torch._utils._rebuild_tensor_v2', rebuildTensor],
  ['torch._utils._rebuild_parameter', rebuildParameter],
  ['torch._utils._rebuild_parameter_with_state', rebuildParameter],
  ['torch._tensor._rebuild_from_type_v2', rebuildFromType],
  ['torch.Size', copiedItems],
  ['torch.device', device],
  ['_codecs.encode', latin1Bytes],
  // Up to protocol 2, Python 3 writes its built-in names as in Python 2.
  ...['__builtin__', 'builtins'].flatMap((module): [string, KnownFunction][] => [
    [`${module}.set`, copiedItems],
    [`${module}.frozenset`, copiedItems],
    [`${module}.bytes`, copiedBytes],
    [`${module}.bytearray`, copiedBytes],
  ]),
]);

function orderedDict([pairs = []]: PickleValue[], machine: PickleMachine): PickleValue {
  if (!Array.isArray(pairs)) {
    throw machine.error('it makes an OrderedDict from something that is not a list of pairs');
  }
  // A map entry takes several times the memory of a list item.
  machine.spend(4 * pairs.length);
  return new Map(
    pairs.map((pair): [PickleValue, PickleValue] => {
      const [key, value] = Array.isArray(pair) ? pair : [];
      if (key === undefined || value === undefined) {
        throw machine.error('it makes an OrderedDict without pairs');
      }
      return [key, value];
    }),
  );
}

/** `_rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks, metadata)`; version 1 takes the first four. */
function rebuildTensor(args: PickleValue[], machine: PickleMachine, name: string): PickleValue {
  const [storage = null, offset, shape, strides, , , metadata] = args;
  // A storage of an unsupported element type, such as complex numbers.
  if (isPythonObject(storage) && storage.kind === 'unknown') return storage;
  if (!isPythonObject(storage) || storage.kind !== 'storage') {
    throw machine.error(`it calls ${name} without a storage`);
  }
  if (!isCount(offset) || !isDimensions(shape) || !isDimensions(strides) || shape.length !== strides.length) {
    throw machine.error(`it calls ${name} with an offset, size or stride that no tensor has`);
  }
  if (metadata instanceof Map && metadata.size > 0) {
    throw machine.error(
      'it makes a tensor that is negated or conjugated on reading; save x.resolve_neg() instead',
    );
  }
  return { kind: 'tensor', storage, offset, shape: shape.slice(), strides: strides.slice() };
}

function rebuildParameter([data = null]: PickleValue[], machine: PickleMachine, name: string): PickleValue {
  if (!isTensorOrUnknown(data)) throw machine.error(`it calls ${name} without a tensor`);
  return data;
}

/** `_rebuild_from_type_v2(function, type, arguments, state)`: a tensor with attributes; only the tensor is kept. */
function rebuildFromType(args: PickleValue[], machine: PickleMachine, name: string): PickleValue {
  const [inner = null, , innerArgs = null] = args;
  // It must not call itself: arguments that contain themselves would recurse forever.
  if (isPythonObject(inner) && inner.kind === 'global' && inner.className === name) {
    throw machine.error(`it calls ${name} on itself`);
  }
  const tensor = torchWorld.call(machine, inner, innerArgs);
  if (!isTensorOrUnknown(tensor)) throw machine.error(`it calls ${name} for something that is not a tensor`);
  return tensor;
}

function device([type = null, index = null]: PickleValue[], machine: PickleMachine): PickleValue {
  if (typeof type !== 'string' || type.length > 32) {
    throw machine.error('it makes a torch.device without a type');
  }
  return index === null ? type : `${type}:${isCount(index) ? index : '?'}`;
}

function copiedItems([items = []]: PickleValue[], machine: PickleMachine, name: string): PickleValue {
  if (!Array.isArray(items)) throw machine.error(`it makes a ${name} from something that is not a list`);
  machine.spend(items.length);
  return items.slice();
}

/** Up to protocol 2, Python writes bytes as text with one character per byte. */
function latin1Bytes([text = null, encoding = null]: PickleValue[], machine: PickleMachine): PickleValue {
  if (typeof text !== 'string' || encoding !== 'latin1') {
    throw machine.error('it encodes text with a codec other than latin1');
  }
  machine.spend(text.length);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0xff) throw machine.error('it has bytes with characters beyond latin1');
    bytes[i] = code;
  }
  return bytes;
}

function copiedBytes([bytes]: PickleValue[], machine: PickleMachine, name: string): PickleValue {
  if (bytes === undefined) return new Uint8Array(0);
  if (!(bytes instanceof Uint8Array))
    throw machine.error(`it makes a ${name} from something other than bytes`);
  machine.spend(bytes.length);
  return bytes.slice();
}

function isTensorOrUnknown(value: PickleValue): boolean {
  return isPythonObject(value) && (value.kind === 'tensor' || value.kind === 'unknown');
}

/** The length is checked first, since every tensor could refer to one long list. PyTorch allows at most 64 dimensions. */
function isDimensions(value: PickleValue | undefined): value is number[] {
  return Array.isArray(value) && value.length <= 64 && value.every(isCount);
}
