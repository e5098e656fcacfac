// Reads Python pickles without executing anything. A pickle is a program for a small stack machine. This machine builds
// containers and scalars, and looks up everything that Python would import or call in a table of known names. Anything
// not in that table becomes a name without behavior.
// Opcodes: CPython's Lib/pickletools.py, protocols 2 to 5. The text opcodes of protocols 0 and 1 are not read, since
// torch.save cannot write them.

import { containerOpcodes } from './pickleContainers.js';
import { createMachine, type PickleValue } from './pickleMachine.js';
import { objectOpcodes, type PythonWorld } from './pickleObjects.js';
import { scalarOpcodes } from './pickleScalars.js';

/**
 * Interprets a pickle and returns what it leaves on the stack. `problem` makes an error from a text that says where.
 *
 * @example
 * unpickle(new Uint8Array([0x80, 2, 0x4b, 7, 0x2e]), torchWorld, (text) => new Error(text)) // 7
 */
export function unpickle(
  bytes: Uint8Array,
  world: PythonWorld,
  problem: (text: string) => Error,
): PickleValue {
  const machine = createMachine(bytes, problem);
  const { cursor } = machine;
  for (;;) {
    const opcode = cursor.uint8();
    if (opcode === stop) {
      const value = machine.pop();
      if (machine.isEmpty()) return value;
      throw machine.error('it ends with values left over');
    }
    const run = scalarOpcodes.get(opcode) ?? containerOpcodes.get(opcode) ?? objectOpcodes.get(opcode);
    if (run === undefined) {
      throw machine.error(`opcode 0x${opcode.toString(16)} is not one that torch.save writes`);
    }
    run(machine, world);
  }
}

const stop = 0x2e;
