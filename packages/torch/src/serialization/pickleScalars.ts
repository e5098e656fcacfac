// Opcodes that push a scalar, text or bytes.

import type { PickleMachine } from './pickleMachine.js';

/**
 * Handlers by opcode. The names are those in pickletools.
 *
 * @example
 * scalarOpcodes.get(0x4e)?.(machine) // NONE: null is on the stack
 */
export const scalarOpcodes: ReadonlyMap<number, (machine: PickleMachine) => void> = new Map([
  /* NONE            */ [0x4e, (m) => m.push(null)],
  /* NEWTRUE         */ [0x88, (m) => m.push(true)],
  /* NEWFALSE        */ [0x89, (m) => m.push(false)],
  /* BININT          */ [0x4a, (m) => m.push(m.cursor.int32())],
  /* BININT1         */ [0x4b, (m) => m.push(m.cursor.uint8())],
  /* BININT2         */ [0x4d, (m) => m.push(m.cursor.uint16())],
  /* LONG1           */ [0x8a, (m) => m.push(m.cursor.integer(m.cursor.uint8()))],
  /* LONG4           */ [0x8b, (m) => m.push(m.cursor.integer(m.cursor.uint32()))],
  /* BINFLOAT        */ [0x47, (m) => m.push(m.cursor.bigEndianFloat64())],
  /* SHORT_BINUNICODE*/ [0x8c, (m) => m.push(m.cursor.utf8(m.cursor.uint8()))],
  /* BINUNICODE      */ [0x58, (m) => m.push(m.cursor.utf8(m.cursor.uint32()))],
  /* BINUNICODE8     */ [0x8d, (m) => m.push(m.cursor.utf8(m.cursor.uint64()))],
  /* SHORT_BINBYTES  */ [0x43, (m) => m.push(m.cursor.bytes(m.cursor.uint8()))],
  /* BINBYTES        */ [0x42, (m) => m.push(m.cursor.bytes(m.cursor.uint32()))],
  /* BINBYTES8       */ [0x8e, (m) => m.push(m.cursor.bytes(m.cursor.uint64()))],
  /* BYTEARRAY8      */ [0x96, (m) => m.push(m.cursor.bytes(m.cursor.uint64()))],
]);
