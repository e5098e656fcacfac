import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import { tinyRun } from '../../test/tinyRun.js';
import { evaluationPage } from './evaluationReport.js';
import { writeRunReport } from './runReport.js';

const folder = testFolder();

test('a report names every image that could not be read, and has no such section if there are none', async () => {
  const run = join(folder, 'run');
  writeSyntheticRun(run, { configuration: tinyRun, strength: 3 });
  const path = join(run, 'summary.json');
  const summary = JSON.parse(readFileSync(path, 'utf8'));
  const quarantined = Array.from({ length: 70 }, (_, row) => ({
    row,
    name: `broken <${row}>.png`,
    reason: 'not an image',
  }));
  expect(readFileSync(await writeRunReport(run), 'utf8')).not.toContain('id="unreadable"');
  writeFileSync(path, JSON.stringify({ ...summary, quarantined }));
  const page = readFileSync(await writeRunReport(run), 'utf8');
  expect(page).toContain('70 unreadable images');
  for (const { row } of quarantined) expect(page).toContain(`broken &lt;${row}&gt;.png`);
  const evaluated = evaluationPage('scores', summary.validation, { quarantined: quarantined.slice(0, 1) });
  expect(evaluated).toContain('1 unreadable image');
});
