// Opcodes that build containers or move values between the stack and the memo.

import { containerCost, isPythonObject, type PickleMachine, type PickleValue } from './pickleMachine.js';

/**
 * Handlers by opcode. The names are those in pickletools.
 *
 * @example
 * containerOpcodes.get(0x5d)?.(machine) // EMPTY_LIST: [] is on the stack
 */
export const containerOpcodes: ReadonlyMap<number, (machine: PickleMachine) => void> = new Map([
  /* EMPTY_LIST  */ [0x5d, (m) => pushContainer(m, [])],
  /* EMPTY_TUPLE */ [0x29, (m) => pushContainer(m, [])],
  /* EMPTY_SET   */ [0x8f, (m) => pushContainer(m, [])],
  /* EMPTY_DICT  */ [0x7d, (m) => pushContainer(m, new Map())],
  /* LIST        */ [0x6c, (m) => pushContainer(m, m.popToMark())],
  /* TUPLE       */ [0x74, (m) => pushContainer(m, m.popToMark())],
  /* FROZENSET   */ [0x91, (m) => pushContainer(m, m.popToMark())],
  /* DICT        */ [0x64, (m) => pushContainer(m, setItems(m, new Map(), m.popToMark()))],
  /* TUPLE1      */ [0x85, (m) => pushContainer(m, popSeveral(m, 1))],
  /* TUPLE2      */ [0x86, (m) => pushContainer(m, popSeveral(m, 2))],
  /* TUPLE3      */ [0x87, (m) => pushContainer(m, popSeveral(m, 3))],
  /* APPEND      */ [0x61, (m) => appendToTop(m, [m.pop()])],
  /* APPENDS     */ [0x65, (m) => appendToTop(m, m.popToMark())],
  /* ADDITEMS    */ [0x90, (m) => appendToTop(m, m.popToMark())],
  /* SETITEM     */ [0x73, (m) => setItemsOfTop(m, popSeveral(m, 2))],
  /* SETITEMS    */ [0x75, (m) => setItemsOfTop(m, m.popToMark())],
  /* MARK        */ [0x28, (m) => m.mark()],
  /* POP         */ [0x30, popValueOrMark],
  /* POP_MARK    */ [0x31, (m) => void m.popToMark()],
  /* DUP         */ [0x32, (m) => m.push(m.peek())],
  /* BINPUT      */ [0x71, (m) => m.memorize(m.cursor.uint8(), m.peek())],
  /* LONG_BINPUT */ [0x72, (m) => m.memorize(m.cursor.uint32(), m.peek())],
  /* MEMOIZE     */ [0x94, (m) => m.memorize(m.memoSize(), m.peek())],
  /* BINGET      */ [0x68, (m) => m.push(m.recall(m.cursor.uint8()))],
  /* LONG_BINGET */ [0x6a, (m) => m.push(m.recall(m.cursor.uint32()))],
  /* PROTO       */ [0x80, checkProtocol],
  // Frames only batch Python's reads; here the pickle is already in memory.
  /* FRAME       */ [0x95, (m) => void m.cursor.uint64()],
]);

function pushContainer(machine: PickleMachine, container: PickleValue): void {
  machine.spend(containerCost);
  machine.push(container);
}

function popSeveral(machine: PickleMachine, count: number): PickleValue[] {
  return Array.from({ length: count }, () => machine.pop()).reverse();
}

function popValueOrMark(machine: PickleMachine): void {
  if (machine.isAtMark()) machine.popToMark();
  else machine.pop();
}

function appendToTop(machine: PickleMachine, items: readonly PickleValue[]): void {
  const target = machine.peek();
  if (Array.isArray(target)) {
    for (const item of items) target.push(item);
  } else if (!isUnknownObject(target)) {
    throw machine.error('it appends to something that is not a list');
  }
}

function setItemsOfTop(machine: PickleMachine, keysAndValues: readonly PickleValue[]): void {
  const target = machine.peek();
  if (target instanceof Map) setItems(machine, target, keysAndValues);
  else if (!isUnknownObject(target)) {
    throw machine.error('it sets an item of something that is not a dictionary');
  }
}

function setItems(
  machine: PickleMachine,
  target: Map<PickleValue, PickleValue>,
  keysAndValues: readonly PickleValue[],
): Map<PickleValue, PickleValue> {
  for (let i = 0; i < keysAndValues.length; i += 2) {
    const key = keysAndValues[i];
    const value = keysAndValues[i + 1];
    if (key === undefined || value === undefined) {
      throw machine.error('it sets a dictionary key without a value');
    }
    target.set(key, value);
  }
  return target;
}

/** Instances of unknown list and dict subclasses also receive items; these are dropped along with the object. */
function isUnknownObject(value: PickleValue): boolean {
  return isPythonObject(value) && value.kind === 'unknown';
}

function checkProtocol(machine: PickleMachine): void {
  const protocol = machine.cursor.uint8();
  if (protocol < 2 || protocol > 5)
    throw machine.error(`it says protocol ${protocol}; only 2 to 5 are supported`);
}
