// Malicious pickles, which try to run programs, fill the memory, read out of bounds, or never end.

import {
  append,
  appends,
  build,
  bytesOf,
  dictOf,
  duplicate,
  emptyDict,
  emptyList,
  emptyTuple,
  get,
  global,
  int,
  list,
  mark,
  memoize,
  newObject,
  type Program,
  persistent,
  pickle,
  popTop,
  put,
  reduce,
  setItem,
  stackGlobal,
  stop,
  storage,
  tensor,
  text,
  tuple1,
  tuple2,
  tupleOf,
  uint32,
} from './pickleBuilder.js';

const one = storage('0', int(1));

/** Pickles that must be refused, with a pattern for the message. Each comes with a storage '0' of one float32. */
export const refusedPickles: readonly (readonly [string, Uint8Array, RegExp])[] = [
  [
    'lists nested 100,000 deep',
    nested(Buffer.alloc(100_000, emptyList), append),
    /nested deeper than 100 levels/,
  ],
  [
    'tuples nested a million deep',
    filled([emptyTuple], tuple1, 1_000_000),
    /too many or too large containers/,
  ],
  ['nine lists of ten that each repeat the one before', pickle(laughing(9)), /repeats itself to more than/],
  ['a list that contains itself', pickle(emptyList, put(0), get(0), append), /contains itself/],
  [
    'a dictionary that contains itself',
    pickle(emptyDict, put(0), int(1), get(0), setItem),
    /contains itself/,
  ],
  [
    'a key that contains its dictionary',
    pickle(emptyDict, put(0), get(0), tuple1, int(1), setItem),
    /itself/,
  ],
  ['an integer of 2 GB', pickle(0x8b, uint32(2 ** 31 - 1)), /an integer of 2147483647 bytes/],
  ['an integer of 2,000 bytes', pickle(0x8b, uint32(2000), Array(2000).fill(7)), /an integer of 2000 bytes/],
  ['text of 4 GB', pickle(0x58, uint32(2 ** 32 - 1)), /needs 4294967295 more bytes/],
  ['text of 2^64 - 1 bytes', pickle(0x8d, Array(8).fill(255)), /more bytes but has/],
  ['bytes of 2^63', pickle(0x8e, Array(7).fill(0), 128), /more bytes but has/],
  ['four million values to memorize', filled([int(1)], memoize, 4_000_000), /memorizes more than 3000000/],
  [
    'eleven million copies of a value',
    filled([int(1)], duplicate, 11_000_000),
    /makes more than 10000000 values/,
  ],
  ['eleven million marks', filled([], mark, 11_000_000), /makes more than 10000000 values/],
  ['two million dictionaries', filled([], emptyDict, 2_000_000), /too many or too large containers/],
  ['a hundred thousand copies of one list of pairs', copiedPairs(), /too many or too large containers/],
  ['a list of a million sizes for each of many tensors', longSizes(), /an offset, size or stride/],
  [
    'a codec that repeats itself without end',
    pickle(global('_codecs', 'encode'), text('x'), laughing(9), tuple2, reduce),
    /a codec other/,
  ],
  ['two hundred thousand unknown objects', unknownObjects(), /more than 100000 unknown objects/],
  ['a hundred thousand copies of one text', copiedText(), /too many or too large containers/],
  ['a hundred thousand long names', copiedNames(), /too many or too large containers/],
  ['an element repeated 2^31 times', tensorOf([2 ** 31 - 1], [0]), /over the limit/],
  ['2^60 elements', tensorOf([2 ** 30, 2 ** 30], [0, 0]), /more elements than can be counted/],
  ['a stride past the storage', tensorOf([2], [1]), /reaches beyond its storage of 1 elements/],
  [
    'strides whose sum overflows',
    tensorOf(Array(60).fill(2 ** 30), Array(60).fill(2 ** 30)),
    /more elements/,
  ],
  ['a negative size', tensorOf([-1], [1]), /an offset, size or stride that no tensor has/],
  ['a negative stride', tensorOf([1], [-1]), /an offset, size or stride that no tensor has/],
  ['a negative offset', pickle(tensor(one, int(-1), tupleOf(), tupleOf())), /an offset, size or stride/],
  [
    'an offset past the storage',
    pickle(tensor(one, int(1), tupleOf(), tupleOf())),
    /reaches beyond its storage/,
  ],
  [
    '65 dimensions',
    tensorOf(Array(65).fill(1), Array(65).fill(1)),
    /an offset, size or stride that no tensor has/,
  ],
  ['fewer strides than sizes', tensorOf([1, 1], [1]), /an offset, size or stride that no tensor has/],
  [
    'a storage longer than its entry',
    pickle(tensor(storage('0', int(9)), int(0), tupleOf(), tupleOf())),
    /holds 4 by/,
  ],
  ['a missing storage', pickle(storage('7', int(1))), /lacks the entry "archive\/data\/7"/],
  ['a storage outside its folder', pickle(storage('../data.pkl', int(1))), /lacks the entry/],
  ['a storage of negative length', pickle(storage('0', int(-1))), /without a valid key and length/],
  [
    'a reference to a file',
    pickle(text('/etc/passwd'), persistent),
    /outside the pickle that is not a storage/,
  ],
  ['a tensor of a list', pickle(tensor([emptyList], int(0), tupleOf(), tupleOf())), /without a storage/],
  ['a lazily negated tensor', negated(), /negated or conjugated/],
  ['a rebuild of a rebuild of itself', rebuildOfItself(), /on itself/],
  ['a call to a number', pickle(int(1), emptyTuple, reduce), /calls something that is not a function/],
  [
    'a known call without arguments',
    pickle(global('torch', 'Size'), int(1), reduce),
    /without a tuple of arguments/,
  ],
  ['bytes beyond latin1', pickle(encoded('\u0100', 'latin1')), /beyond latin1/],
  ['another codec', pickle(encoded('x', 'zip')), /a codec other than latin1/],
  ['a value from an empty stack', pickle(popTop), /an empty stack/],
  ['a value from below a mark', pickle(int(1), mark, tuple1), /an empty stack/],
  ['items without a mark', pickle(emptyList, appends), /a mark that was never set/],
  ['a value that was never memorized', pickle(get(3)), /recalls value 3/],
  ['an item appended to a number', pickle(int(1), int(2), append), /appends to something that is not a list/],
  ['a key without a value', pickle(emptyDict, mark, int(1), 0x75), /a dictionary key without a value/],
  ['an item set in a list', pickle(emptyList, int(1), int(2), setItem), /not a dictionary/],
  ['values left over', pickle(int(1), int(2)), /values left over/],
  ['a mark left over', pickle(mark, int(2)), /values left over/],
  ['no end', bytesOf([0x80, 2, int(1)]), /needs 1 more bytes/],
  ['nothing', new Uint8Array(0), /needs 1 more bytes/],
  ['a protocol of the future', bytesOf([0x80, 200, int(1), stop]), /says protocol 200/],
  ['text opcodes of protocol 0', Buffer.from("cos\nsystem\n(S'true'\ntR."), /opcode 0x53/],
  ['an extension code', pickle(0x82, 1), /opcode 0x82/],
  ['a buffer from outside', pickle(0x97), /opcode 0x97/],
  ['a name that is not text', pickle(int(1), text('x'), stackGlobal), /not a Python name/],
  ['a name that moves the cursor', pickle(global('os\u001b[2J', 'x')), /not a Python name/],
  ['an endless name', bytesOf([0x80, 2, 0x63, Array(5000).fill(0x61)]), /a name that does not end/],
  ['text that is not UTF-8', pickle(0x8c, 1, 0xff), /not UTF-8/],
];

/** Programs that Python would run, and the class name they are skipped under. `marker` is a file they would create. */
export function programs(marker: string): readonly (readonly [string, Uint8Array, string])[] {
  const command = text(`touch ${marker}`);
  const python = text(`open(${JSON.stringify(marker)}, 'w')`);
  return [
    ['os.system', pickle(global('posix', 'system'), command, tuple1, reduce), 'posix.system'],
    ['eval', pickle(global('__builtin__', 'eval'), python, tuple1, reduce), '__builtin__.eval'],
    [
      'exec, found on the stack',
      pickle(text('builtins'), text('exec'), stackGlobal, python, tuple1, reduce),
      'builtins.exec',
    ],
    [
      'subprocess.Popen as a new object',
      pickle(global('subprocess', 'Popen'), command, tuple1, newObject),
      'subprocess.Popen',
    ],
    ['a function reached by getattr', throughGetattr(command), '__builtin__.getattr'],
    [
      'state that is set',
      pickle(global('x', 'Y'), emptyTuple, newObject, dictOf({ __class__: int(1) }), build),
      'x.Y',
    ],
    ['a module of torch', pickle(global('torch.hub', 'load'), command, tuple1, reduce), 'torch.hub.load'],
    ['torch.load', pickle(global('torch', 'load'), command, tuple1, reduce), 'torch.load'],
    ['keywords', pickle(global('os', 'popen'), emptyTuple, dictOf({ cmd: command }), 0x92), 'os.popen'],
  ];
}

function tensorOf(size: readonly number[], stride: readonly number[]): Uint8Array {
  return pickle(tensor(one, int(0), tupleOf(...size.map(int)), tupleOf(...stride.map(int))));
}

function nested(start: Uint8Array, close: number): Uint8Array {
  return Buffer.concat([
    Buffer.from([0x80, 2]),
    start,
    Buffer.alloc(start.length - 1, close),
    Buffer.from([stop]),
  ]);
}

function filled(start: Program, opcode: number, count: number): Uint8Array {
  return Buffer.concat([bytesOf([0x80, 4, start]), Buffer.alloc(count, opcode), Buffer.from([stop])]);
}

function laughing(levels: number): Program {
  const program: Program[] = [[emptyList, put(0)]];
  for (let level = 1; level <= levels; level++) {
    program.push([emptyList, put(level), mark, Array.from({ length: 10 }, () => get(level - 1)), appends]);
  }
  return [mark, program, list];
}

function longSizes(): Uint8Array {
  const sizes: Program = [mark, Array(100_000).fill(int(0)), list, put(0), popTop];
  return repeated([sizes], tensor(one, int(0), get(0), get(0)), 1000);
}

function repeated(preparation: Program, body: Program, count: number): Uint8Array {
  const once = bytesOf(body);
  const repeats = Buffer.alloc(once.length * count);
  for (let i = 0; i < count; i++) repeats.set(once, i * once.length);
  return Buffer.concat([bytesOf([0x80, 2, mark, preparation, mark]), repeats, bytesOf([list, list, stop])]);
}

function copiedPairs(): Uint8Array {
  const pairs = Array.from({ length: 10_000 }, (_, i): Program => [int(i), int(i), tuple2]);
  const args: Program = [mark, pairs, list, tuple1, put(0), popTop];
  return repeated([args, global('collections', 'OrderedDict'), put(1)], [get(1), get(0), reduce], 100_000);
}

function copiedText(): Uint8Array {
  const args = tupleOf(text('x'.repeat(100_000)), text('latin1'));
  return repeated(
    [args, put(0), popTop, global('_codecs', 'encode'), put(1)],
    [get(1), get(0), reduce],
    100_000,
  );
}

function copiedNames(): Uint8Array {
  return repeated([text('x'.repeat(1000)), put(0)], [get(0), get(0), stackGlobal], 100_000);
}

function unknownObjects(): Uint8Array {
  return repeated([global('x', 'Y'), put(0), emptyTuple, put(1)], [get(0), get(1), newObject], 200_000);
}

function encoded(value: string, codec: string): Program {
  return [global('_codecs', 'encode'), tupleOf(text(value), text(codec)), reduce];
}

function negated(): Uint8Array {
  const args = tupleOf(one, int(0), tupleOf(), tupleOf(), 0x89, emptyDict, dictOf({ neg: [0x88] }));
  return pickle(global('torch._utils', '_rebuild_tensor_v2'), args, reduce);
}

function rebuildOfItself(): Uint8Array {
  const rebuild = global('torch._tensor', '_rebuild_from_type_v2');
  const args: Program = [emptyList, put(0), mark, rebuild, int(0), get(0), int(0), appends];
  return pickle(rebuild, args, reduce);
}

function throughGetattr(command: Program): Uint8Array {
  const system: Program = [
    global('__builtin__', 'getattr'),
    tupleOf(global('x', 'os'), text('system')),
    reduce,
  ];
  return pickle(system, command, tuple1, reduce);
}
