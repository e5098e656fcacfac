// Two processes that train together, one of which is killed repeatedly, must end with the weights of two
// undisturbed ones, bit for bit (needs a build: npm run setup).
//
//   node packages/anyclass/test/killedRanks.mjs 30

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { frequentlySaved } from './frequentlySaved.mjs';
import { killAgainAndAgain, tellResult } from './killing.mjs';
import { startProgram } from './program.mjs';
import { ranksOf } from './ranks.mjs';

const fields = [
  ...frequentlySaved,
  'data.digits.scenes={"train":96,"validation":16,"test":16}',
  'evaluation.replicates=0',
];

/**
 * Kills a random rank at random moments under a launcher that restarts them, until the run finishes.
 *
 * @param {number} kills
 * @param {(line: string) => void} say
 */
export function killRanks(kills, say) {
  return killAgainAndAgain(kills, say, {
    counts: {},
    undisturbed: (run) => launched(run, 0).ended,
    async disturbed(run, duration, result) {
      const launch = launched(run, kills);
      let isOver = false;
      const ended = launch.ended.finally(() => {
        isOver = true;
      });
      while (!isOver && result.kills < kills) {
        await Promise.race([sleep(Math.random() * duration), ended]);
        const ranks = ranksOf(launch.child.pid ?? 0);
        const victim = ranks[Math.floor(Math.random() * ranks.length)];
        if (isOver || victim === undefined) continue;
        try {
          process.kill(victim, 'SIGKILL');
        } catch {
          continue; // it has just exited by itself
        }
        result.kills++;
        say(`kill ${result.kills}`);
      }
      await ended;
    },
  });
}

/**
 * @param {string} run
 * @param {number} restarts
 */
function launched(run, restarts) {
  const words = ['launch', '--processes', '2', '--restarts', String(restarts), '--timeout', '60'];
  const settings = fields.flatMap((field) => ['--set', field]);
  const { child, ended } = startProgram([...words, 'train', 'quick', '--run', run, ...settings]);
  const succeeded = ended.then(({ code, errors }) => {
    if (code !== 0) throw new Error(`the launcher exited with code ${code}:\n${errors}`);
  });
  return { child, ended: succeeded };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  tellResult(await killRanks(Number(process.argv[2] ?? 30), (line) => console.log(line)));
}
