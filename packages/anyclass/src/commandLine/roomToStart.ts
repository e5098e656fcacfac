// Imported before the rest of the program. If the address space is too small, Node or a library later ends
// the process in a way that cannot be caught, so it is reported now.

import { lacksAddressSpace } from '@anyclass/torch/builds';

/** The least address space a command needs once Node has started. */
const startingSpace = 512 * 2 ** 20;

const problem = lacksAddressSpace(startingSpace);
if (problem !== undefined) {
  process.stderr.write(`anyclass: ${problem}\n`);
  process.exit(1);
}
