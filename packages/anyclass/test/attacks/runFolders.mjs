// Commands on runs: outputs that would replace inputs, and run folders with damaged files.

import {
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { anyclass, damaged, each } from './support.mjs';

export async function outputs(count, drawOf, folder) {
  mkdirSync(join(folder, 'run/scores'), { recursive: true });
  const files = {
    'run/config.json': '{"datasetFingerprint":"0"}',
    'run/summary.json': '{}',
    'run/scores/test.csv': 'Filename,x\na.png,0.5\n',
    'labels.csv': 'Filename,x\na.png,1\n',
    'a.png': 'pixels',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const names = Object.keys(files).map((name) => join(folder, name));
  // Links to the same files, which must not bypass the protection.
  const aliases = names.map((path, i) => {
    const alias = join(folder, `alias-${i}`);
    (i % 2 === 0 ? linkSync : symlinkSync)(path, alias);
    return alias;
  });
  return each(count, drawOf, async (draw) => {
    const at = draw.below(names.length);
    const input = names[at];
    const isRun = draw.below(2) === 0;
    const isAlias = draw.below(3) === 0;
    const output = isRun ? names[draw.below(3)] : isAlias ? aliases[at] : input;
    const forced = draw.below(2) === 0 ? ['--force'] : [];
    const words = [
      ['predict', join(folder, 'run'), input, '--out', output],
      ['report', join(folder, 'run'), '--out', names[draw.below(3)]],
      ['inspect', input, '--no-images', '--html', output],
      ['evaluate', '--scores', input, '--labels', names[3], '--html', output],
      ['playground', '--out', names[draw.below(3)]],
    ][draw.below(5)];
    const { code, said } = await anyclass([...words, ...forced]);
    for (const [name, text] of Object.entries(files))
      if (readFileSync(join(folder, name), 'utf8') !== text) return `${words.join(' ')} replaced ${name}`;
    if (code === 0 || /--debug/.test(said)) return `${words.join(' ')}: ${code} ${said}`;
  });
}

/** A run with damaged files must be read, or refused with a message: never a stack trace. */
export async function runFolders(count, drawOf, folder) {
  const { trainRun } = await import('../../dist/training/trainRun.js');
  const scenes = { train: 32, validation: 16, test: 16 };
  await trainRun(
    {
      data: { dataset: 'digits', digits: { scenes } },
      network: { name: 'tresnet-s', inputSize: 32 },
      ...{ epochs: 1, batchSize: 16, device: 'cpu', threads: 1, evaluation: { replicates: 0 } },
    },
    { run: join(folder, 'whole') },
  );
  const run = join(folder, 'run');
  const small = readdirSync(join(folder, 'whole'), { recursive: true, encoding: 'utf8' }).filter((name) => {
    const status = statSync(join(folder, 'whole', name));
    return status.isFile() && status.size < 2 ** 20;
  });
  return each(count, drawOf, async (draw) => {
    rmSync(run, { recursive: true, force: true });
    mkdirSync(run);
    for (const name of small) cpSync(join(folder, 'whole', name), join(run, name), { recursive: true });
    const name = small[draw.below(small.length)];
    writeFileSync(join(run, name), damaged(readFileSync(join(run, name)), draw));
    const words = ['report', run, '--out', join(folder, 'report.html'), '--replicates', '0', '--json'];
    const { code, said } = await anyclass(words);
    if (code !== 0 && /--debug|reading '|is not a function/.test(said)) return `${name}: ${said}`;
  });
}
