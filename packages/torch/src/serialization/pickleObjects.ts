// Opcodes that would import, call or restore something in Python. Here they only consult a table.

import { containerCost, type PickleMachine, type PickleValue } from './pickleMachine.js';

/** What a pickle may refer to. Nothing in it can affect anything beyond its arguments. */
export interface PythonWorld {
  /** Returns what `module.name` stands for. */
  lookUp(module: string, name: string): PickleValue;
  /** Returns the result of calling `callable`, which may be any value. */
  call(machine: PickleMachine, callable: PickleValue, args: PickleValue): PickleValue;
  /** Returns what a reference to something outside the pickle stands for. */
  persistent(machine: PickleMachine, id: PickleValue): PickleValue;
}

/**
 * Handlers by opcode. The names are those in pickletools.
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
    throw machine.error('it imports something whose name is not a Python name');
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
  // No known callable takes keywords. Passing null instead of a tuple makes known ones fail; unknown ones stay unknown.
  machine.push(world.call(machine, machine.pop(), hasKeywords ? null : args));
}

/** Drops state, which would become attributes. Nothing read here has any; state dicts keep module versions there. */
function dropState(machine: PickleMachine): void {
  machine.pop();
  machine.peek();
}

function isDotted(name: string): boolean {
  return name.length <= 1024 && /^[\p{L}\p{N}_<>]+(\.[\p{L}\p{N}_<>]+)*$/u.test(name);
}
