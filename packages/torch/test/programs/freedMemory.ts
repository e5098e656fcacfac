// Counts page faults in a loop that allocates and frees 192 MiB per round, before and after `keepFreedMemory`.

import { keepFreedMemory, ones, tidy } from '@anyclass/torch';

const [, ...before] = faultsByRound(6); // the first one fills the heap
keepFreedMemory();
const [, ...after] = faultsByRound(21);
console.log(JSON.stringify({ before, after }));

function faultsByRound(rounds: number): number[] {
  return Array.from({ length: rounds }, () => {
    const begun = process.resourceUsage().minorPageFault;
    tidy(() => Array.from({ length: 24 }, () => ones([2 ** 21])).length);
    return process.resourceUsage().minorPageFault - begun;
  });
}
