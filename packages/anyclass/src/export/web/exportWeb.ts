// Exports a model as a web page: a folder that any static host can serve.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { errorCode, fileProblem, partialPath } from '@anyclass/files';
import { UserError } from '../../errors/userError.js';
import { fileVersion } from '../../runs/fileVersion.js';
import { type ExportOnnxOptions, exportOnnx, type OnnxExport } from '../onnx/exportOnnx.js';
import { indexPage } from './indexPage.js';
import { readWebPage, versionPlaceholder } from './webPage.js';
import { webRuntimeFiles } from './webRuntime.js';

export interface ExportWebOptions extends Omit<ExportOnnxOptions, 'out' | 'outputs' | 'optionalOutputs'> {
  /** Folder to write; it must be new or empty. */
  readonly out: string;
  /** Page title. Default: the name of the dataset that the model was trained on. */
  readonly title?: string | undefined;
}

export interface WebExport extends Omit<OnnxExport, 'file' | 'config' | 'bytes'> {
  readonly folder: string;
  readonly files: readonly string[];
  /** Total size of all files. */
  readonly bytes: number;
  readonly hasHeatMaps: boolean;
}

/**
 * Writes a folder with a page that runs the model in the visitor's browser. Photos dropped on the page never
 * leave the browser.
 *
 * @example
 * const { folder, hasHeatMaps } = await exportWeb('runs/sewer', { out: 'sewer-web' });
 */
export async function exportWeb(model: string, options: ExportWebOptions): Promise<WebExport> {
  const { out, title, ...onnxOptions } = options;
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new UserError(`${out} is not empty; delete it or choose another folder`);
  const runtime = webRuntimeFiles();
  const page = await readWebPage();
  const draft = partialPath(out);
  try {
    const { file, config, bytes, ...exported } = await exportOnnx(model, {
      ...onnxOptions,
      out: join(draft, 'model', 'model.onnx'),
      optionalOutputs: ['cam'],
    });
    if ('features' in exported.model.preprocessing)
      throw new UserError(`${model} takes feature vectors; the page is for models of images`);
    mkdirSync(join(draft, 'runtime'));
    for (const path of runtime) copyFileSync(path, join(draft, 'runtime', basename(path)));
    const heading = title ?? (exported.model.training.dataset || exported.model.network);
    const html = indexPage(heading, exported.model, await fileVersion(file));
    const texts = { ...page, 'index.html': html };
    const version = versionOf(Object.values(texts), [file, config, ...runtime]);
    texts['service-worker.js'] = texts['service-worker.js'].replace(versionPlaceholder, version);
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(draft, name), `${text.trim()}\n`);
    if (existsSync(out)) rmSync(out, { recursive: true });
    renameSync(draft, out);
    const files = filesBelow(out);
    return {
      ...exported,
      folder: out,
      files,
      bytes: files.reduce((sum, name) => sum + statSync(join(out, name)).size, 0),
      hasHeatMaps: exported.outputs.includes('cam'),
    };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw errorCode(error) === undefined
      ? error
      : new UserError(`${out} cannot be written: ${fileProblem(error)}`);
  }
}

/** Hashes everything in the folder; browsers reload all of it if anything changed. */
function versionOf(texts: readonly string[], files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}
