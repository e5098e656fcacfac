import { DataError } from '../errors/dataError.js';
import { UserError } from '../errors/userError.js';
import { type Check, placeText } from './check.js';
import { readVectorFile } from './vectorFile.js';
import { verifyLosses } from './verifyLosses.js';
import { verifyMetrics } from './verifyMetrics.js';
import { type VerifyNetworkOptions, verifyNetwork } from './verifyNetwork.js';
import { verifyTensorLosses } from './verifyTensorLosses.js';

export interface VectorReport {
  readonly file: string;
  readonly kind: 'losses' | 'metrics' | 'network';
  /** Describes the content of the file. */
  readonly title: string;
  readonly checks: readonly Check[];
  readonly ok: boolean;
}

/**
 * Checks this platform against a file of golden values. Checking metrics does not load libtorch.
 *
 * @example
 * verifyFile('losses.json').ok // true
 */
export function verifyFile(path: string, options: VerifyNetworkOptions = {}): VectorReport {
  const vectors = readVectorFile(path);
  const report = (title: string, checks: readonly Check[]): VectorReport => ({
    file: path,
    kind: vectors.kind,
    title,
    checks,
    ok: checks.every(({ ok }) => ok),
  });
  if (vectors.kind === 'losses') {
    options.onStage?.('losses');
    return report(`losses, ${vectors.cases.length} cases`, [
      ...verifyLosses(vectors.cases),
      ...verifyTensorLosses(vectors.cases, options.device ?? 'cpu'),
    ]);
  }
  if (vectors.kind === 'metrics') {
    options.onStage?.('metrics');
    return report(`metrics, ${vectors.cases.length} cases`, verifyMetrics(vectors.cases));
  }
  const { network, classes, batch, inputSize } = vectors.vectors;
  const title = `${network}, ${classes} classes, ${batch} images of ${inputSize} px`;
  return report(
    title,
    namingFile(path, () => verifyNetwork(vectors.vectors, options)),
  );
}

/** Returns one line per quantity, and one for the whole file. */
export function vectorReportText({ file, title, checks, ok }: VectorReport): string {
  const lines = checks.map(({ name, error, tolerance, ok: fine, place }) => {
    const size = tolerance === 0 ? (error === 0 ? 'exact' : `${error} differ`) : error.toExponential(1);
    const limit = tolerance === 0 ? '' : `of ${tolerance.toExponential(0)}`;
    const where = fine || place === undefined ? '' : `  ${placeText(place)}`;
    return `  ${name.padEnd(28)}${size.padStart(10)} ${limit.padEnd(9)}${fine ? 'ok' : 'FAILED'}${where}`;
  });
  return [`${file}: ${title}`, ...lines, `  ${ok ? 'ok' : 'FAILED'}`].join('\n');
}

/** Adds the file's name to an error of the network, because its cause is in the file. */
function namingFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw new DataError(`${path}: ${error.message}`);
    throw error;
  }
}
