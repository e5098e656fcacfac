// The opcodes that would import, call or restore something in Python. Here they only consult a table.

import { containerCost, type PickleMachine, type PickleValue } from './pickleMachine.js';

/** What a pickle may refer to. Nothing in it can act on more than its arguments. */
export interface PythonWorld {
  /** What `module.name` stands for. */
  lookUp(module: string, name: string): PickleValue;
  /** The result of calling `callable`, which may be anything at all. */
  call(machine: PickleMachine, callable: PickleValue, args: PickleValue): PickleValue;
  /** What a reference out of the pickle stands for. */
  persistent(machine: PickleMachine, id: PickleValue): PickleValue;
}

/**
 * By opcode, what it does. The names are those of pickletools.
 *
 * @example
 * objectOpcodes.get(0x52)?.(machine, torchWorld) // REDUCE: the result of a known function, or an unknown object
 */
export const objectOpcodes: ReadonlyMap<number, (machine: PickleMachine, world: PythonWorld) => void> =
  new Map([
    /* GLOBAL       */ [0x63, (m, world) => pushGlobal(m, world, m.cursor.line(), m.cursor.line())],
    /* STACK_GLOBAL */ [0x93, pushGlobalOfStack],
    /* REDUCE       */ [0x52, call],
    /* NEWOBJ       */ [0x81, call],
    /* NEWOBJ_EX    */ [0x92, callWithKeywords],
    /* BUILD        */ [0x62, dropState],
    /* BINPERSID    */ [0x51, (m, world) => m.push(world.persistent(m, m.pop()))],
  ]);

function pushGlobalOfStack(machine: PickleMachine, world: PythonWorld): void {
  const name = machine.pop();
  pushGlobal(machine, world, machine.pop(), name);
}

function pushGlobal(
  machine: PickleMachine,
  world: PythonWorld,
  module: PickleValue,
  name: PickleValue,
): void {
  if (typeof module !== 'string' || typeof name !== 'string' || !isDotted(module) || !isDotted(name)) {
    throw machine.error('it imports something whose name is no Python name');
  }
  machine.spend(containerCost + module.length + name.length);
  machine.push(world.lookUp(module, name));
}

function call(machine: PickleMachine, world: PythonWorld): void {
  const args = machine.pop();
  machine.push(world.call(machine, machine.pop(), args));
}

function callWithKeywords(machine: PickleMachine, world: PythonWorld): void {
  const keywords = machine.pop();
  const args = machine.pop();
  const hasKeywords = !(keywords instanceof Map) || keywords.size > 0;
  // Nothing that is known takes keywords: without a tuple of arguments it is refused, and the unknown stays unknown.
  machine.push(world.call(machine, machine.pop(), hasKeywords ? null : args));
}

/** State is kept in attributes, and nothing that is read here has any: state dicts carry module versions there. */
function dropState(machine: PickleMachine): void {
  machine.pop();
  machine.peek();
}

function isDotted(name: string): boolean {
  return name.length <= 1024 && /^[\p{L}\p{N}_<>]+(\.[\p{L}\p{N}_<>]+)*$/u.test(name);
}
