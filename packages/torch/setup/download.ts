// Downloads a file whose hash is known. An interrupted download resumes where it stopped, in this process or the next one, as long as
// the server still has the same file; what arrives in full is checked, and is whole or absent.

import { createHash, type Hash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { type Log, SetupError } from './shell.js';

export interface DownloadOptions {
  readonly sha256: string;
  readonly log: Log;
  /** Seconds without a byte after which a connection counts as lost. */
  readonly patience?: number;
  /** Before the first of the tries that follow one another without progress; doubled for each. */
  readonly backoff?: number;
}

const triesWithoutProgress = 5;

/** Downloads to a path; a file that is there already is taken as it is. */
export async function download(address: string, path: string, options: DownloadOptions): Promise<void> {
  if (existsSync(path)) return;
  const { sha256, log, backoff = 1000 } = options;
  const partial = `${path}.partial`;
  log(`downloading ${address}`);
  for (let failures = 0; ; ) {
    const before = sizeOf(partial);
    const outcome = await attempt(address, partial, options);
    if (outcome.kind === 'complete') break;
    if (outcome.kind === 'refused') throw new SetupError(`${address}: ${outcome.reason}`);
    failures = sizeOf(partial) > before ? 1 : failures + 1;
    if (failures >= triesWithoutProgress)
      throw new SetupError(`${address}: ${outcome.reason}; set up again to resume the download`);
    log(`${outcome.reason}; trying again at ${megabytes(sizeOf(partial))}`);
    await setTimeout(outcome.wait ?? backoff * 2 ** (failures - 1));
  }
  const actual = (await hashOf(partial)).digest('hex');
  rmSync(etagFile(partial), { force: true });
  if (actual !== sha256) {
    rmSync(partial);
    throw new SetupError(`${address} has the sha256 ${actual}, not the pinned ${sha256}; it was not kept`);
  }
  renameSync(partial, path);
}

type Outcome =
  | { readonly kind: 'complete' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'interrupted'; readonly reason: string; readonly wait?: number };

async function attempt(address: string, partial: string, options: DownloadOptions): Promise<Outcome> {
  const { patience = 60 } = options;
  const controller = new AbortController();
  const lost = () => controller.abort(new Error(`no byte for ${patience} s`));
  let clock = globalThis.setTimeout(lost, patience * 1000);
  const beat = () => {
    clearTimeout(clock);
    clock = globalThis.setTimeout(lost, patience * 1000);
  };
  try {
    const response = await fetch(address, { headers: rangeHeaders(partial), signal: controller.signal });
    return await receive(response, partial, options.log, beat);
  } catch (error) {
    return { kind: 'interrupted', reason: reasonOf(error) };
  } finally {
    clearTimeout(clock);
  }
}

/** Of what is there already, if the server still has the same file: without its mark the beginning may be another file's. */
function rangeHeaders(partial: string): Record<string, string> {
  const size = sizeOf(partial);
  const etag = existsSync(etagFile(partial)) ? readFileSync(etagFile(partial), 'utf8') : '';
  return size === 0 || etag === '' ? {} : { Range: `bytes=${size}-`, 'If-Range': etag };
}

async function receive(response: Response, partial: string, log: Log, beat: () => void): Promise<Outcome> {
  const { status, headers, body } = response;
  const have = sizeOf(partial);
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '');
  if (status === 416 || (status === 206 && Number(range?.[1]) !== have)) {
    // What is there does not fit the file: start over.
    rmSync(partial, { force: true });
    return { kind: 'interrupted', reason: 'the server has another file than before', wait: 0 };
  }
  if (status === 429 || status >= 500) {
    const wait = Number(headers.get('retry-after')) * 1000;
    const reason = `the server says ${status}`;
    return { kind: 'interrupted', reason, ...(wait > 0 && { wait: Math.min(wait, 60_000) }) };
  }
  if ((status !== 200 && status !== 206) || !body)
    return { kind: 'refused', reason: `the server says ${status}` };
  const start = status === 206 ? have : 0;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  const total = range ? Number(range[2]) : start + length;
  // A weak mark does not promise the same bytes.
  const etag = headers.get('etag') ?? headers.get('last-modified') ?? '';
  writeFileSync(etagFile(partial), etag.startsWith('W/') ? '' : etag);
  const file = await open(partial, start === 0 ? 'w' : 'a');
  try {
    const progress = progressLines(total, log);
    let done = start;
    for await (const chunk of body) {
      await file.appendFile(chunk);
      done += chunk.byteLength;
      beat();
      progress(done);
    }
    if (!Number.isNaN(total) && done < total) {
      return {
        kind: 'interrupted',
        reason: `the connection ended at ${megabytes(done)} of ${megabytes(total)}`,
      };
    }
  } finally {
    await file.close();
  }
  return { kind: 'complete' };
}

/** A line for every tenth. */
function progressLines(total: number, log: Log): (done: number) => void {
  let tenth: number | undefined;
  return (done) => {
    const now = Math.floor((10 * done) / total);
    if (tenth !== undefined && now > tenth) log(`${now * 10}% of ${megabytes(total)}`);
    tenth = now;
  };
}

async function hashOf(path: string): Promise<Hash> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash;
}

function etagFile(partial: string): string {
  return `${partial}.etag`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** fetch says only that it failed; why is behind it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
