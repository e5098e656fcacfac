import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { buildPrograms } from '../../test/child.js';
import { type RanksOptions, runRanks } from '../../test/ranks.js';
import { distributedStatus } from './init.js';

const folder = testFolder();
beforeAll(buildPrograms, 120_000);

/** What libtorch itself logs; newer versions add a stack trace. */
const warnings = /^\[[WE].*\n(?:Exception raised from .*\n(?:frame #.*\n)*\n?)?/gm;

async function results(worldSize: number, options: RanksOptions) {
  const endings = await runRanks('collectives', worldSize, options);
  return endings.map(({ code, signal, output, errors }) => {
    if (signal !== null) return { signal };
    expect([code, errors.replace(warnings, '')]).toEqual([0, '']);
    return JSON.parse(output);
  });
}

const { unavailable } = distributedStatus();

// Concurrent, since some wait for a timeout.
describe
  .skipIf(unavailable !== null)
  .concurrent(`process groups${unavailable ? ` (skipped: ${unavailable})` : ''}`, () => {
    test.each([
      ['over TCP, from the environment', 2, 'env://'],
      ['over a file', 3, `file://${folder}/store`],
    ])('%s, reduce, broadcast, gather and scatter', async (_, worldSize, meet) => {
      const all = await results(worldSize, { values: ['collectives', meet] });
      all.forEach((seen, rank) => {
        expect(seen).toMatchObject({
          rank,
          worldSize,
          backend: 'gloo',
          sum: [(worldSize * (worldSize + 1)) / 2, 10 * worldSize],
          largest: [worldSize - 1, 0],
          told: [7 * (worldSize - 1)],
          gathered: Array.from({ length: worldSize }, (_, i) => [i, 5]),
          scattered: [rank * worldSize, (worldSize * (worldSize - 1)) / 2],
          notes: [`rank ${worldSize - 1} says é`, null], // JSON's undefined
          refused: [
            expect.stringContaining('use contiguous()'),
            expect.stringContaining(`source is ${worldSize}`),
          ],
        });
      });
    });

    test('sum gradients in buckets during the last backward of a step, and only there', async () => {
      for (const { error, sizes, unused } of await results(3, { values: ['gradients'] })) {
        expect(error).toBeLessThan(1e-6);
        // From the last parameter on, biases (64 bytes) and weights (1024) in turn; a bucket closes when it is full.
        expect(sizes).toEqual([16 + 64 + 64, 2112, 2176, 2176]);
        expect(unused).toBe(true);
      }
    });

    test('report at once when a rank is killed, naming the rank and the operation', async () => {
      const [first, , last] = await results(3, { values: ['failing', 'killed'] });
      expect(last).toEqual({ signal: 'SIGKILL' });
      expect(first).toMatchObject({
        rank: 0,
        worldSize: 3,
        operation: 'allReduce of float32[3]',
        reason: 'lost',
      });
      expect(first.message).toContain('rank 0 of 3: allReduce of float32[3] failed');
    });

    test('end with a timeout if a rank is silent', async () => {
      const [first] = await results(2, { values: ['failing', 'silent'] });
      expect(first).toMatchObject({ rank: 0, operation: 'allReduce of float32[3]', reason: 'timeout' });
    });

    test('name the ranks that never joined', async () => {
      // Rank 1 may find rank 0's store gone before its own timeout.
      const [seen] = await results(4, { values: ['missing'], started: 2 });
      expect(seen).toMatchObject({ operation: 'joining', reason: 'timeout' });
      expect(seen.message).toContain('rank 2, 3');
    });
  });
