// Imported before the rest of the program. Where too little memory may be mapped, Node or a library ends the process later, without a
// word that could be caught: better to say it now.

import { lacksAddressSpace } from '@anyclass/torch/builds';

/** What a command takes at least, once Node has started. */
const startingSpace = 512 * 2 ** 20;

const problem = lacksAddressSpace(startingSpace);
if (problem !== undefined) {
  process.stderr.write(`anyclass: ${problem}\n`);
  process.exit(1);
}
