import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { UserError } from '../errors/userError.js';
import { type VectorReport, vectorReportText, verifyFile } from '../verify/verifyFile.js';

export const verify = command({
  name: 'verify',
  summary: 'Check losses, metrics and networks on this machine against golden values',
  positionals: [{ field: 'files', placeholder: 'FILE…', rest: true }],
  examples: [
    [
      'anyclass verify losses.json metrics.json',
      'show the largest error of each quantity; exit code 1 if any is too large',
    ],
    ['anyclass verify network_tresnet_m.json --device cuda', 'a network on the GPU'],
  ],
  options: z.object({
    files: z.array(z.string()).min(1).describe('files of golden losses, metrics or networks'),
    device: z
      .templateLiteral(['cuda:', z.int()])
      .or(z.enum(['cpu', 'cuda']))
      .default('cpu')
      .describe('device for losses and networks')
      .meta({ placeholder: 'cpu|cuda' }),
    dtype: z.enum(['float32', 'float64']).default('float32').describe('precision of networks'),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ files, device, dtype, json }, terminal) {
    const total = files.length;
    const progress = (done: number, remark: string) =>
      terminal.onEvent({ type: 'progress', task: 'verifying', done, total, unit: 'files', remark });
    const reports: VectorReport[] = [];
    const problems: string[] = [];
    for (const [i, file] of files.entries()) {
      const onStage = (stage: string) => progress(i, `${file}: ${stage}`);
      try {
        const report = verifyFile(file, { device, dtype, onStage });
        reports.push(report);
        if (!report.ok) problems.push(`FAILED: ${file}`);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        problems.push(error.message);
      }
      progress(i + 1, file);
    }
    const verdict = `${total - problems.length} of ${total} files match their golden values.`;
    terminal.print(
      json ? JSON.stringify(reports, null, 2) : [verdict, ...reports.map(vectorReportText)].join('\n\n'),
    );
    if (problems.length > 0) throw new UserError(problems.join('\n'));
    return reports;
  },
});
