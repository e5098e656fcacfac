// Counts page faults in a loop that allocates and frees 192 MiB per round, before and after `keepFreedMemory`.

import { keepFreedMemory, ones, tidy } from '@anyclass/torch';

const before = faultsPerRound();
keepFreedMemory();
const after = faultsPerRound();
console.log(JSON.stringify({ before, after }));

function faultsPerRound(): number {
  const rounds = 5;
  let begun = 0;
  for (let round = 0; round <= rounds; round++) {
    if (round === 1) begun = process.resourceUsage().minorPageFault; // the first one fills the heap
    tidy(() => Array.from({ length: 24 }, () => ones([2 ** 21])).length);
  }
  return (process.resourceUsage().minorPageFault - begun) / rounds;
}
