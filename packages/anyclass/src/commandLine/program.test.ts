import { FileError } from '@anyclass/files';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { UserError } from '../errors/userError.js';
import { version } from '../runs/version.js';
import { command } from './command.js';
import { runProgram } from './program.js';
import { printed, standardTerminal } from './terminal.js';

const greet = command({
  name: 'greet',
  summary: 'Greet people',
  positionals: [{ field: 'names', placeholder: 'NAME…', rest: true }],
  examples: [['anyclass greet Ada --times 2', 'twice']],
  options: z.object({
    names: z.array(z.string()).min(1).describe('whom to greet'),
    times: z.number().int().min(1).default(1).describe('how often'),
    manner: z.enum(['warm', 'cool']).default('warm').describe('how'),
    tune: z.enum(['any', 'fanfare']).optional().describe('with music').meta({ bare: 'any' }),
    withTitle: z.boolean().default(false).describe('with a title'),
    failing: z.string().optional().describe('throw this'),
    set: z.array(z.string()).default([]).describe('set a field'),
  }),
  async run(options, terminal) {
    if (options.failing === 'user') throw new UserError('names.csv, line 3: no name');
    if (options.failing === 'weights') throw new FileError('model.safetensors', 'truncated?');
    if (options.failing === 'resumable')
      throw new UserError('no answer yet', {
        next: { command: 'greet', options: { names: 'Ada L', withTitle: 'x' } },
      });
    if (options.failing?.includes('=')) throw new UserError('no music', { setting: options.failing });
    if (options.failing) throw new Error('a bug');
    terminal.print(JSON.stringify(options));
    return options;
  },
});

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runProgram([greet], words, {
    print: (text) => out.push(text),
    note: (text) => err.push(text),
    onEvent: () => {},
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('options come from the schema: flags, defaults, numbers, positionals', async () => {
  const { code, out } = await run('greet', 'Ada', '--times', '2', 'Emmy', '--with-title');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    names: ['Ada', 'Emmy'],
    times: 2,
    manner: 'warm',
    withTitle: true,
  });
});

test('a flag may use an equals sign, and words after -- are not flags', async () => {
  const { out } = await run('greet', '--times=3', '--', '--Ada');
  expect(JSON.parse(out)).toMatchObject({ names: ['--Ada'], times: 3 });
});

test.each([
  [['--tune'], 'any'],
  [['--tune', 'Emmy'], 'any'],
  [['--tune', '--times', '2'], 'any'],
  [['--tune', 'fanfare'], 'fanfare'],
  [['--tune=fanfare'], 'fanfare'],
])(
  'an option with an optional value takes the next word only if it is one of its choices: %j',
  async (words, tune) => {
    expect(JSON.parse((await run('greet', 'Ada', ...words)).out)).toMatchObject({ tune });
  },
);

test.each([
  [['greet', 'Ada', '--tims', '2'], "'anyclass greet' has no option --tims; did you mean --times?"],
  [['greet'], 'NAME… is missing'],
  [['greet', 'Ada', '--times', 'two'], "--times: 'two' is not a number"],
  [['greet', 'Ada', '--times', '0'], '--times: expected at least 1'],
  [['greet', 'Ada', '--manner', 'rude'], "--manner: expected one of warm, cool; got 'rude'\n"],
  [
    ['greet', 'Ada', '--manner', 'WRAM'],
    "--manner: expected one of warm, cool; got 'WRAM'; did you mean 'warm'?",
  ],
  [['greet', 'Ada', '--times'], '--times needs a value: --times N'],
  [['greet', 'Ada', '--times', '-5'], '--times: expected at least 1'],
  [
    ['greet', 'Ada', '--failing', '-x'],
    "--failing needs a value, and '-x' looks like an option; if it is the value, write --failing=-x",
  ],
  [['greet', 'Ada', '--times', '--with-title'], '--times needs a value'],
  [['help', 'gret'], "no such command 'gret'; did you mean 'greet'?\nTry 'anyclass --help'."],
  [['help', 'greet', 'Ada'], "'anyclass help' takes one command; 'greet' and 'Ada' are two"],
  [['great', 'Ada'], "no such command 'great'; did you mean 'greet'?\nTry 'anyclass --help'."],
])('%j is a usage error: exit code 2, what is wrong, and where to find help', async (words, message) => {
  const { code, out, err } = await run(...words);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(err).toContain('--help');
  expect(out).toBe('');
});

test('bad input is reported without a stack trace, with exit code 1', async () => {
  expect(await run('greet', 'Ada', '--failing', 'user')).toEqual({
    code: 1,
    out: '',
    err: 'anyclass: names.csv, line 3: no name',
  });
});

test('a damaged weight file is reported by name, without a stack trace', async () => {
  expect(await run('greet', 'Ada', '--failing', 'weights')).toEqual({
    code: 1,
    out: '',
    err: 'anyclass: model.safetensors: truncated?',
  });
});

test('the command to run next is printed as a shell line with flags', async () => {
  expect((await run('greet', 'Ada', '--failing', 'resumable')).err).toBe(
    "anyclass: no answer yet\nRun: anyclass greet --with-title x 'Ada L'",
  );
});

test.each([
  ['data.imageFolder=FOLDER', '--set data.imageFolder=FOLDER'],
  ['data.columns.ignore=["a b"]', `--set 'data.columns.ignore=["a b"]'`],
])('a field that would help, %s, is shown as the option that sets it', async (setting, option) => {
  expect((await run('greet', 'Ada', '--failing', setting)).err).toBe(
    `anyclass: no music\nOn the command line: ${option}`,
  );
});

test('an unexpected error offers a stack trace, which --debug prints', async () => {
  expect((await run('greet', 'Ada', '--failing', 'bug')).err).toBe(
    'anyclass: a bug\nAdd --debug for a stack trace.',
  );
  expect((await run('greet', 'Ada', '--failing', 'bug', '--debug')).err).toContain('at ');
});

test('help lists the commands; a command shows its usage, options with defaults, and examples', async () => {
  const program = await run('--help');
  expect(program.code).toBe(0);
  expect(program.out).toMatch(/greet +Greet people/);
  const { out } = await run('greet', '--help');
  expect(out).toContain('Usage: anyclass greet NAME… [OPTIONS]');
  expect(out).toMatch(/--manner warm\|cool +how \(default warm\)/);
  expect(out).toMatch(/NAME… +whom to greet/);
  expect(out).toContain('anyclass greet Ada --times 2');
});

test('help NAME shows the help of that command, and help alone that of the program', async () => {
  const { out } = await run('greet', '--help');
  for (const words of [
    ['help', 'greet'],
    ['--help', 'greet'],
    ['help', 'greet', '--help'],
  ]) {
    expect(await run(...words)).toEqual({ code: 0, out, err: '' });
  }
  expect(await run('help')).toEqual(await run('--help'));
});

test('without a command, the program shows the help and exits with 2', async () => {
  expect((await run()).code).toBe(2);
});

test('the version is that of the package', async () => {
  expect((await run('--version')).out).toBe(version());
  expect(version()).toMatch(/^\d+\.\d+\.\d+$/);
});

test('names in results go to a terminal escaped, and to files and programs as they are', async () => {
  const lineOn = async (isTTY: boolean) => {
    let written = '';
    const write = (text: string | Uint8Array, done?: unknown) => {
      written += String(text);
      if (typeof done === 'function') done();
      return true;
    };
    expect(await printed('a\u001b[31m\u202e\nb.png,1', { isTTY, write })).toBe(true);
    return written;
  };
  expect(await lineOn(true)).toBe('a\\u001b[31m\\u202e\\nb.png,1\n');
  expect(await lineOn(false)).toBe('a\u001b[31m\u202e\nb.png,1\n');
});

test('what a command says goes to the terminal escaped, results as notes and failures', () => {
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  );
  const said = 'gpj.\u202eexe\u001b[2J\ttwo\nlines';
  const terminal = standardTerminal();
  terminal.print(said);
  terminal.note(said);
  standardTerminal(false).fail?.(said);
  for (const spy of spies) spy.mockRestore();
  expect(written).toEqual(Array(3).fill('gpj.\\u202eexe\\u001b[2J\ttwo\nlines\n'));
});
