import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { readPredictionLogs } from '../field/predictionLog.js';

const folder = testFolder();
const write = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
const monitor = (...words: string[]) => runInProcess(folder, ['monitor', ...words]);
const lines = (...objects: unknown[]) => objects.map((each) => `${JSON.stringify(each)}\n`).join('');

const audit = { q: 1, drawn: true };

/** Every image is labeled; `falseAlarms` of 100 negatives alarm. */
function stream(falseAlarms: number, fields: object = {}, prefix = 'i') {
  const each = Array.from({ length: 100 }, (_, i) => ({
    id: `${prefix}${i}`,
    isNegative: i >= falseAlarms,
    audit,
    ...fields,
  }));
  const labels = each.map(({ id }) => `${id},1`).join('\n');
  return { log: lines(...each), labels: `id,negative\n${labels}\n` };
}

test('a broken promise is told first, with exit code 4 and the line of the alert', async () => {
  const { log, labels } = stream(30);
  write('broken.jsonl', log);
  write('broken.csv', labels);
  const { status, stdout, stderr } = await monitor('broken.jsonl', 'broken.csv', '--false-alarms', '0.05');
  expect(status).toBe(4);
  expect(stdout).toMatch(/^The promise of at most 5% false alarms is broken/);
  expect(stderr).toContain('is broken');
  const json = await monitor('broken.jsonl', 'broken.csv', '--false-alarms', '0.05', '--json');
  const result = JSON.parse(json.stdout);
  expect(result).toMatchObject({ verdict: 'broken', threshold: 20, images: 100, audited: 100 });
  // The mean of (1 + 0.95 c)^k over the 24 values of c first reaches 20 at k = 9.
  expect(result.alert).toEqual({ line: 9, id: 'i8' });
});

test('limits of 0, and a log in the place of the labels, are refused with what to write', async () => {
  const { log, labels } = stream(0);
  write('zero.jsonl', lines({ id: 'a', isNegative: true, audit, decision: { id: 'd', falseAlarms: 0 } }));
  write('limits.jsonl', log);
  write('limits.csv', labels);
  write('zero.csv', 'id,negative\na,1\n');
  const refused = async (...words: string[]) => {
    const { status, stderr } = await monitor(...words);
    expect(stderr).not.toContain('--debug');
    return [status, stderr];
  };
  const flag = 'On the command line: --false-alarms';
  expect(await refused('zero.jsonl', 'zero.csv')).toEqual([1, expect.stringContaining(flag)]);
  const words = ['limits.jsonl', 'limits.csv', '--false-alarms', '5%'];
  expect(await refused(...words, '--negatives-at-least', '0%')).toEqual([
    1,
    expect.stringContaining('negativesAtLeast is 0'),
  ]);
  expect(await refused('limits.jsonl', 'zero.jsonl')).toEqual([2, expect.stringContaining('labels last')]);
});

test('a late rise is told with the verdict, which rests on all lines', async () => {
  const streams = Array.from({ length: 16 }, (_, k) => stream(k < 15 ? 0 : 14, {}, `${k}-`));
  write('late.jsonl', streams.map(({ log }) => log).join(''));
  const labels = streams.map((each) => each.labels.replace('id,negative\n', '')).join('');
  write('late.csv', `id,negative\n${labels}`);
  const { status, stdout, stderr } = await monitor('late.jsonl', 'late.csv', '--false-alarms', '0.05');
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^The promise of at most 5% false alarms holds: .*; it seems to have risen late, noticed at line 1,5\d\d\./,
  );
  expect(stderr).toContain('monitor late.jsonl late.csv --false-alarms 0.05 --from 1501\n');
});

describe('after a long good past', () => {
  const past = stream(0, { time: '2026-01-31T12:00:00Z' }, 'past');
  const many = Array.from({ length: 30 }, (_, k) => stream(0, { time: '2026-01-01' }, `${k}-`));
  const now = stream(14, { time: '2026-02-01T09:00:00Z' }, 'now');
  const all = [...many, past, now];
  const judged = (...words: string[]) => {
    write('past.jsonl', all.map(({ log }) => log).join(''));
    const rows = all.map(({ labels }) => labels.replace('id,negative\n', ''));
    write('past.csv', `id,negative\n${rows.join('')}`);
    return monitor('past.jsonl', 'past.csv', '--false-alarms', '0.05', ...words);
  };
  test('what the latest audits say is told beside the verdict on all, with the command that judges them alone', async () => {
    const { status, stdout, stderr } = await judged('--confidence', '0.9', '--html', 'past.html', '--force');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^The promise of at most 5% false alarms holds: [^\n]*since line 3,101 alone, it is/,
    );
    expect(stdout).toMatch(/^last 100 audits +\d[\d.]*% to \d[\d.]*% of negatives alarm since line 3,101$/m);
    expect(stdout).toMatch(/^last 1,000 audits +.* since line 2,201$/m);
    const command = 'anyclass monitor past.jsonl past.csv --false-alarms 0.05 --confidence 0.9 --from 3101';
    expect(stderr).toContain(`To judge only what came since: ${command}\n`);
    expect(readFileSync(join(folder, 'past.html'), 'utf8')).toContain('last 1,000 audits');
    const since = await monitor(...command.split(' ').slice(2));
    expect([since.status, since.stderr]).toEqual([4, expect.stringContaining('is broken')]);
  });
  test('lines before a line or a time are left out, with their labels', async () => {
    const since = JSON.parse((await judged('--from', '2026-02-01', '--json')).stdout);
    expect(since).toMatchObject({ verdict: 'broken', images: 100, recent: [] });
    expect(since.alert.line).toBeGreaterThan(3100);
    const { stdout, stderr } = await judged('--from', '3101', '--json');
    expect(JSON.parse(stdout)).toEqual(since);
    expect(stderr).toMatch(/anyclass refit MODEL --log .* --from 3101 --out/);
    const whole = JSON.parse((await judged('--json')).stdout);
    expect(whole).toMatchObject({ verdict: 'holds', images: 3200 });
    expect(whole.recent.map(({ events, line }: { events: number; line: number }) => [events, line])).toEqual([
      [100, 3101],
      [300, 2901],
      [1000, 2201],
    ]);
  });
  test('a steady rate below the promise hints at nothing', async () => {
    write('steady.jsonl', many.map(({ log }) => log).join(''));
    write(
      'steady.csv',
      `id,negative\n${many.map(({ labels }) => labels.replace('id,negative\n', '')).join('')}`,
    );
    const { stdout, stderr } = await monitor('steady.jsonl', 'steady.csv', '--false-alarms', '0.05');
    expect(stdout).not.toContain('alone');
    expect(stderr).not.toContain('--from');
  });
  test('a rate that changed so much that no single one fits is told as such, beside that of the latest audits', async () => {
    const worse = Array.from({ length: 5 }, (_, k) => stream(14, {}, `worse${k}-`));
    const changed = [...many, ...worse];
    write('changed.jsonl', changed.map(({ log }) => log).join(''));
    const rows = changed.map(({ labels }) => labels.replace('id,negative\n', '')).join('');
    write('changed.csv', `id,negative\n${rows}`);
    const { stdout } = await monitor('changed.jsonl', 'changed.csv', '--false-alarms', '0.05');
    expect(stdout).toMatch(
      /^[^\n]* holds, and the rate changed: [^\n]*each\); it seems to have risen late[^\n]*since line 3,\d01 alone/,
    );
  });
  test('a start that is no line or time, lies after the log, or needs times that are missing is refused', async () => {
    for (const words of ['0', '-3', 'yesterday', '1.5'])
      expect([words, (await judged(`--from=${words}`)).status]).toEqual([words, 2]);
    const after = await judged('--from', '9999');
    expect([after.status, after.stderr]).toEqual([1, expect.stringContaining('3,200 lines before it')]);
    write('timeless.jsonl', lines({ id: 'a', isNegative: true, audit }));
    write('timeless.csv', 'id,negative\na,1\n');
    const timeless = await monitor(
      'timeless.jsonl',
      'timeless.csv',
      '--false-alarms',
      '5%',
      '--from',
      '2026-02-01',
    );
    expect([timeless.status, timeless.stderr]).toEqual([
      1,
      expect.stringContaining('timeless.jsonl, line 1: its time is missing'),
    ]);
  });
});

test('a log with a line that never ends is refused before it fills memory', async () => {
  write('endless.jsonl.gz', gzipSync(Buffer.alloc(2e8, 97)));
  write('endless.csv', 'id,negative\n');
  const { status, stderr } = await monitor('endless.jsonl.gz', 'endless.csv', '--false-alarms', '0.05');
  expect(status).toBe(1);
  expect(stderr).toContain('endless.jsonl.gz');
  expect(stderr).toContain('longer than');
});

test('a log that becomes shorter while it is read is not judged by the part that was read', async () => {
  const log = join(folder, 'shrinking.jsonl');
  const { log: text } = stream(0);
  writeFileSync(log, text.repeat(1000));
  const size = statSync(log).size;
  const reading = readPredictionLogs([log]);
  await reading.next();
  // What the stream has read ahead is a small part of it.
  truncateSync(log, size / 2);
  const rest = async () => {
    for await (const { file } of reading) expect(file).toBe(log);
  };
  await expect(rest()).rejects.toThrow(`${log}: it became shorter while it was read`);
});

test.skipIf(process.platform === 'win32')(
  'a log or a table from a pipe is refused, since it is read more than once, and is not waited for (not on Windows)',
  async () => {
    const { log, labels } = stream(0);
    write('piped.jsonl', log);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    write('piped.csv', labels);
    for (const files of [
      ['pipe', 'piped.csv'],
      ['pipe', 'piped.jsonl', 'piped.csv'],
      ['piped.jsonl', 'pipe'],
    ]) {
      const { status, stderr } = await monitor(...files, '--false-alarms', '5%');
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/pipe is a named pipe; .* write it to a file/),
      ]);
    }
  },
);

test('labels of ids that are in no log are counted', async () => {
  write('others.jsonl', lines({ id: 'a', isNegative: true, audit }));
  write('others.csv', `id,negative\na,1\n${['b', 'c', 'd'].map((id) => `${id},1`).join('\n')}\n`);
  const { stderr } = await monitor('others.jsonl', 'others.csv', '--false-alarms', '0.05');
  expect(stderr).toContain('others.csv, line 3: b is in no log (and 2 more: c, d); name all logs');
});

test('a new version starts anew, and the one that answered last is judged', async () => {
  const first = stream(30, { model: 'pipes', version: '1' }, 'a');
  const second = stream(0, { model: 'pipes', version: '2' }, 'b');
  write('versions.jsonl', first.log + second.log);
  write('versions.csv', first.labels + second.labels.replace('id,negative\n', ''));
  const { status, stdout } = await monitor(
    'versions.jsonl',
    'versions.csv',
    '--false-alarms',
    '0.1',
    '--json',
  );
  expect(status).toBe(0);
  const { verdict, version, earlier } = JSON.parse(stdout);
  expect([verdict, version]).toEqual(['holds', '2']);
  expect(earlier).toMatchObject([{ version: '1', verdict: 'broken' }]);
});

test('rotated and gzipped logs are read in the order of their times; a cut last line is left out', async () => {
  const at = (hour: number) => ({ time: `2026-01-0${hour}T00:00:00Z`, isNegative: true, audit });
  write('new.jsonl', `${lines({ id: 'c', ...at(3) })}{"id":"d","isNeg`);
  write('old.jsonl.gz', gzipSync(lines({ id: 'a', ...at(1), isNegative: false })));
  write('labels.csv', 'id,negative\na,1\nc,1\n');
  const words = [
    'new.jsonl',
    'old.jsonl.gz',
    'labels.csv',
    '--false-alarms',
    '0.001',
    '--confidence',
    '0.01',
    '--json',
  ];
  const { stdout, status } = await monitor(...words);
  expect([status, JSON.parse(stdout).alert]).toEqual([4, { line: 1, id: 'a' }]);
});

test.each(['{"id":"d","isNeg', '{"id":"d","isNegative":false,"audit":{"q":1,"drawn":true}', '{'])(
  'a last line cut off as %s is left out',
  async (cut) => {
    write('cut.jsonl', lines({ id: 'a', isNegative: true, audit }) + cut);
    write('cut.csv', 'id,negative\na,1\n');
    const { stdout } = await monitor('cut.jsonl', 'cut.csv', '--false-alarms', '0.05', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ images: 1, alarmShare: 0 });
  },
);

test('what other programs write is read: null for nothing, 1.0 for 1', async () => {
  const nothing = { group: null, model: null, outcome: null, s: null };
  write(
    'nulls.jsonl',
    lines(
      { id: 'a', isNegative: false, audit, ...nothing },
      { id: 'b', isNegative: true, audit: null, ...nothing },
      { id: 'c', isNegative: true, audit, shadow: { isNegative: true, outcome: null } },
    ),
  );
  write('nulls.csv', 'id,negative\na,1.0\nb,\nc,0.0\n');
  const { stdout } = await monitor('nulls.jsonl', 'nulls.csv', '--false-alarms', '0.05', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ images: 2, audited: 2, drawnNegatives: 1, drawnPositives: 1 });
});

test('a promise for whole groups is not said to hold because single images keep it', async () => {
  const { log, labels } = stream(0, { decision: { id: 'd1', falseAlarms: 0.1, per: 'group' } });
  write('groups.jsonl', log);
  write('groups.csv', labels);
  const { stdout } = await monitor('groups.jsonl', 'groups.csv');
  expect(stdout).toMatch(
    /^The promise of at most 10% false alarms, judged by one image of each group, holds/,
  );
  expect(stdout).toMatch(/promised for +whole groups/);
});

test('where one image of each group counts, more groups are what more labels take', async () => {
  const group = { decision: { id: 'd1', falseAlarms: 0.1, per: 'group' } };
  const { log, labels } = stream(0, group);
  const each = log
    .trim()
    .split('\n')
    .map((line, i) => ({ ...JSON.parse(line), group: `p${i % 50}` }));
  const byImage = each.map((line) => ({ ...line, decision: { id: 'd1', falseAlarms: 0.1 } }));
  write('buys.csv', labels);
  for (const [logged, images] of [
    [log, '100'],
    [lines(...each), '50, one of each group'],
    [lines(...byImage), '50, one of each group'],
  ]) {
    write('buys.jsonl', logged!);
    const { stdout } = await monitor('buys.jsonl', 'buys.csv', '--html', 'buys.html', '--force');
    expect(stdout).toContain('\n100 more labeled groups with a negative: ');
    expect(stdout).toContain('\n100 more labeled groups with a positive: ');
    expect(stdout).not.toMatch(/labeled (negatives|positives)/);
    expect(stdout).toMatch(new RegExp(`^images +${images}$`, 'm'));
    expect(readFileSync(join(folder, 'buys.html'), 'utf8')).toContain('more groups with a negative');
  }
});

test('a group is a name: 1 and "1" are one', async () => {
  const line = (id: string, group: unknown) => ({ id, isNegative: true, audit, group });
  write('names.jsonl', lines(line('a', 1), line('b', '1'), line('c', 2), line('d', '2'), line('e', '2')));
  write('names.csv', 'id,negative\na,1\nb,1\nc,1\nd,1\ne,1\n');
  const { stdout } = await monitor('names.jsonl', 'names.csv', '--false-alarms', '0.05', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ images: 2, audited: 2, drawnNegatives: 2 });
});

test('a limit that was not promised is not called a promise, unless the user names it', async () => {
  const { log, labels } = stream(0, { decision: { id: 'd1', falseAlarms: 0.1, promised: false } });
  write('limit.jsonl', log);
  write('limit.csv', labels);
  const { stdout } = await monitor('limit.jsonl', 'limit.csv');
  expect(stdout).toMatch(/^The limit of at most 10% false alarms holds[\s\S]*promised +nothing/);
  const named = await monitor('limit.jsonl', 'limit.csv', '--false-alarms', '10%');
  expect(named.stdout).toMatch(/^The promise of at most 10% false alarms holds/);
});

test('class columns say what is negative; empty cells are undecided unless a class is present', async () => {
  write('classes.jsonl', lines(...['a', 'b', 'c', 'd'].map((id) => ({ id, isNegative: true, audit }))));
  write('classes.csv', 'id,crack,root\na,0,0\nb,1,\nc,0,\nd,0,1\n');
  const { stdout } = await monitor('classes.jsonl', 'classes.csv', '--false-alarms', '0.05', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ images: 4, audited: 3, unlabeled: 1 });
});

test("the promise is the log's own if none is given, and metrics go to Prometheus", async () => {
  const { log, labels } = stream(0, { model: 'a"b', decision: { id: 'd1', falseAlarms: 0.1 } });
  write('own.jsonl', log);
  write('own.csv', labels);
  const { stdout } = await monitor(
    'own.jsonl',
    'own.csv',
    '--negatives-at-least',
    '0.5',
    '--prometheus',
    'field.prom',
  );
  expect(stdout).toContain('at most 10% false alarms holds');
  expect(stdout).toContain('without labels');
  expect(readFileSync(join(folder, 'field.prom'), 'utf8')).toContain(
    'anyclass_field_promise_holds{model="a\\"b",version=""} 1\n',
  );
});

test('a page shows the evidence over time, and a broken promise names the command that refits', async () => {
  const { log, labels } = stream(30, { model: 'pipes', version: '1' });
  write('page.jsonl', log);
  write('page.csv', labels);
  const words = ['page.jsonl', 'page.csv', '--false-alarms', '0.05', '--html', 'field.html'];
  const { stderr, stdout } = await monitor(...words);
  const refit =
    'anyclass refit MODEL --log page.jsonl --labels page.csv --false-alarms 0.05 --out NEW.safetensors';
  expect(stderr).toContain(refit);
  expect(stdout).toContain('100 more labeled negatives');
  expect(stdout).toContain('100 more labeled positives');
  expect(stdout).toMatch(/without an alarm +no drawn positives yet/);
  const page = readFileSync(join(folder, 'field.html'), 'utf8');
  // What to do is said beside what was found, before the charts.
  expect(page.split('<h2')[0]).toContain(refit);
  for (const part of ['Evidence over time', 'Range of the false-alarm rate', 'alert', refit, 'is broken'])
    expect(page).toContain(part);
  expect(page).toMatch(/<h1>The promise of at most 5% false alarms is broken[^<:]*\.<\/h1>/);
});

describe('a decision that limits cleared positives', () => {
  const decision = { id: 'd1', falseAlarms: 0.1, missed: 0.05 };
  /** Positives of which every fifth is cleared, and negatives that do not alarm. */
  function triaged(of: object = decision) {
    const each = Array.from({ length: 300 }, (_, i) => ({
      id: `t${i}`,
      isNegative: true,
      outcome: i % 2 === 0 || i % 10 === 1 ? 'clear' : 'review',
      audit,
      decision: of,
    }));
    write('triage.jsonl', lines(...each));
    write('triage.csv', `id,negative\n${each.map(({ id }, i) => `${id},${(i + 1) % 2}`).join('\n')}\n`);
    return (...words: string[]) => monitor('triage.jsonl', 'triage.csv', ...words);
  }

  test('is judged for these, too: broken is exit code 4, in text, on the page and for Prometheus', async () => {
    const found = await triaged()('--html', 'triage.html', '--prometheus', 'triage.prom');
    expect(found.status).toBe(4);
    expect(found.stdout).toMatch(
      /^The promise of at most 10% false alarms holds[^\n]*\nThe promise of at most 5% cleared positives is broken: [^\n]* of positives are cleared/,
    );
    expect(found.stdout).toMatch(/cleared +30 of 150 drawn positives\n/);
    expect(found.stderr).toContain('cleared positives is broken');
    expect(found.stderr).not.toContain('false alarms');
    const page = readFileSync(join(folder, 'triage.html'), 'utf8');
    expect(page).toMatch(/<h1>The promise of at most 5% cleared positives is broken\.<\/h1>/);
    for (const part of ['False alarms: holds', 'Cleared positives: broken', '% of positives'])
      expect(page).toContain(part);
    expect(readFileSync(join(folder, 'triage.prom'), 'utf8')).toContain(
      'anyclass_field_missed_promise_broken{model="",version=""} 1\n',
    );
  });
  test('has it in JSON beside what was there; --missed names another limit, or none', async () => {
    const { missed, ...others } = JSON.parse((await triaged()('--json')).stdout);
    expect(missed).toMatchObject({
      limit: 0.05,
      verdict: 'broken',
      cleared: 30,
      unlabeled: 0,
      estimate: 0.2,
    });
    const none = await triaged()('--missed', 'none', '--json');
    expect([none.status, JSON.parse(none.stdout)]).toEqual([0, others]);
    const loose = await triaged()('--missed', '40%', '--json');
    expect([loose.status, JSON.parse(loose.stdout).missed.verdict]).toEqual([0, 'holds']);
  });
  test('is not accused by single images where whole groups were promised, and says so', async () => {
    const { status, stdout } = await triaged({ ...decision, per: 'group' })();
    expect(status).toBe(0);
    expect(stdout).toMatch(/cleared positives +not judged: promised for whole groups/);
  });
  test('that promised nothing of it is not said to', async () => {
    const { stdout } = await triaged({ ...decision, missedPromised: false })();
    expect(stdout).toContain('The limit of at most 5% cleared positives is broken');
    expect(stdout).toMatch(/promised of positives +nothing/);
  });
});

test('a model in the shadow is judged on the drawn images, with the paired difference', async () => {
  const each = Array.from({ length: 400 }, (_, i) => ({
    id: `s${i}`,
    isNegative: i % 10 !== 0,
    model: 'pipes',
    version: '1',
    audit: { q: 0.5, drawn: i % 2 === 0 },
    shadow: { model: 'new', version: '2', isNegative: true },
  }));
  write('shadow.jsonl', lines(...each));
  write('shadow.csv', `id,negative\n${each.map(({ id }) => `${id},1`).join('\n')}\n`);
  const { stdout } = await monitor('shadow.jsonl', 'shadow.csv', '--false-alarms', '0.2', '--json');
  const { shadow } = JSON.parse(stdout);
  expect(shadow).toMatchObject({ model: 'new', version: '2', verdict: 'holds', images: 200, audited: 200 });
  const { falseAlarms, found } = shadow.difference;
  expect(falseAlarms).toMatchObject({ first: 0.2, second: 0, value: -0.2, labeled: 200 });
  expect(falseAlarms.high).toBeLessThan(0);
  expect(found.value).toBeNull();
  const text = await monitor('shadow.jsonl', 'shadow.csv', '--false-alarms', '0.2');
  expect(text.stdout).toMatch(
    /false alarms: 20% before, 0% in the shadow; difference -20 \(.*fewer in the shadow/,
  );
});

test('of lines with one id the first counts, also if another version answered again', async () => {
  const line = (version: string, isNegative: boolean) => ({ id: 'a', version, isNegative, audit });
  write(
    'twice.jsonl',
    lines(line('1', false), line('1', true), line('2', true), { ...line('2', true), id: 'b' }),
  );
  write('twice.csv', 'id,negative\na,1\nb,1\n');
  const { stdout } = await monitor('twice.jsonl', 'twice.csv', '--false-alarms', '0.05', '--json');
  const { images, alarmShare, earlier } = JSON.parse(stdout);
  expect([images, alarmShare, earlier[0].images, earlier[0].alarmShare]).toEqual([1, 0, 1, 1]);
});

test('the outcome wins over isNegative', async () => {
  write(
    'outcome.jsonl',
    lines(
      { id: 'a', isNegative: true, outcome: 'alarm', audit },
      { id: 'b', isNegative: false, outcome: 'review', audit },
    ),
  );
  write('outcome.csv', 'id,negative\na,1\nb,1\n');
  const { stdout } = await monitor('outcome.jsonl', 'outcome.csv', '--false-alarms', '0.05', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ images: 2, alarmShare: 0.5 });
});

test('without any audit, it says what to do; a confidence is not rounded to 100%; ids may be numbers', async () => {
  write('unaudited.jsonl', lines({ id: 1, isNegative: true }, { id: 2, isNegative: false }));
  write('numbers.jsonl', lines({ id: 1, isNegative: true, audit }));
  write('numbers.csv', 'id,negative\n1,1\n');
  const words = ['numbers.csv', '--false-alarms', '0.05', '--confidence', '0.9999'];
  const { status, stdout } = await monitor('unaudited.jsonl', ...words);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/no line has an audit.*serve with audits/)]);
  const text = (await monitor('numbers.jsonl', ...words)).stdout;
  expect(text).toContain('(99.99% confidence)');
  expect(text).toMatch(/^labeled +1;/m);
});

test('where negative is left empty, the classes say it; a class may have the name of a column that people add', async () => {
  const logged = (id: string) => ({ id, isNegative: false, audit, probabilities: { crack: 0.2, note: 0.1 } });
  write('classes.jsonl', lines(...['a', 'b', 'c', 'd'].map(logged)));
  // As a table of `audit --out` is filled in; the author is no class.
  write(
    'classes.csv',
    'id,name,negative,crack,note,author\na,,,0,0,eve\nb,,,0,1,eve\nc,,,,,eve\nd,,1.0,,,eve\n',
  );
  const { stdout } = await monitor('classes.jsonl', 'classes.csv', '--false-alarms', '0.05', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    audited: 3,
    unlabeled: 1,
    drawnNegatives: 2,
    drawnPositives: 1,
  });
});

describe('bad input is refused with file and line', () => {
  write('good.jsonl', lines({ id: 'a', isNegative: true, audit }));
  write('good.csv', 'id,negative\na,1\n');
  test.each([
    ['not json\n{}', undefined, /bad\.jsonl, line 1/],
    [
      `${lines({ id: 'a', isNegative: true, audit: { q: 2, drawn: true } })}`,
      undefined,
      /line 1: audit\.q is 2/,
    ],
    [
      `${lines({ id: 'a', isNegative: true })}${lines({ id: 'b', isNegative: 'no' })}`,
      undefined,
      /line 2: isNegative is "no"/,
    ],
    [lines({ id: 'a', audit }), undefined, /bad\.jsonl, line 1: a has neither isNegative nor outcome/],
    ['', undefined, /no predictions/],
    [undefined, 'id,negative\nb,1\n', /bad\.csv, line 2: b is in no log/],
    [undefined, 'id,negative\na,1\na,0\n', /line 3: a is positive here, but negative in line 2/],
    [undefined, 'id,negative\na,yes\n', /line 2: negative is 'yes'/],
    [undefined, 'id,crack,roots\na,1,0\na,1,\na,0,1\n', /line 4: a has crack 0 here, but 1 in line 2/],
    [undefined, 'name,negative\na,1\n', /no column 'id'/],
  ])('%j with %j', async (log, labels, message) => {
    if (log !== undefined) write('bad.jsonl', log);
    if (labels !== undefined) write('bad.csv', labels);
    const { status, stderr } = await monitor(
      log === undefined ? 'good.jsonl' : 'bad.jsonl',
      labels === undefined ? 'good.csv' : 'bad.csv',
      '--false-alarms',
      '0.05',
    );
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
  });

  test('a single file is a usage error, and no promise to judge is said', async () => {
    expect((await monitor('good.jsonl')).status).toBe(2);
    const { status, stderr } = await monitor('good.jsonl', 'good.csv');
    expect([status, stderr]).toEqual([1, expect.stringContaining('which false-alarm rate was promised')]);
  });
});

const vectors = resolve(import.meta.dirname, '../../../../../shared/vectors/monitor.json');
test.skipIf(!existsSync(vectors))(
  `streams of an independent implementation${existsSync(vectors) ? '' : ' (skipped: no ../shared)'}`,
  async () => {
    const { cases } = JSON.parse(readFileSync(vectors, 'utf8'));
    expect(cases.length).toBeGreaterThan(3);
    for (const { name, falseAlarms, log, labels, expected } of cases) {
      write('case.jsonl', lines(...log));
      const rows = Object.entries(labels).map(([id, negative]) => `${id},${negative}`);
      write('case.csv', `id,negative\n${rows.join('\n')}\n`);
      const { stdout } = await monitor(
        'case.jsonl',
        'case.csv',
        '--false-alarms',
        String(falseAlarms),
        '--json',
      );
      const { capital, certificate, verdict, alert, images, audited, rate } = JSON.parse(stdout);
      const { capital: wantedCapital, certificate: wantedCertificate, ...exact } = expected;
      expect({ name, verdict, alert, images, audited, rate }).toEqual({ name, ...exact });
      expect(capital / wantedCapital).toBeCloseTo(1, 9);
      expect(certificate / wantedCertificate).toBeCloseTo(1, 9);
    }
  },
);
