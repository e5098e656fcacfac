import { expect, test } from 'vitest';
import { killRuns } from '../../test/killedRuns.mjs';

test('a run that was killed, even while writing a checkpoint, resumes and ends with the same weights bit for bit', async () => {
  const { kills, finished, different } = await killRuns(3, () => {});
  expect({ kills, different }).toEqual({ kills: 3, different: [] });
  expect(finished).toBeGreaterThan(0);
}, 300_000);
