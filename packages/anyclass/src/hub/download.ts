// Hub files: taken from the cache, or downloaded into it.
//
// Written by hand: @huggingface/hub 2.17 neither resumes nor verifies nor locks, and Python's client 2.0 no longer resumes.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { withSharedLock } from '@anyclass/files';
import {
  type Checksum,
  checksumOfTag,
  defaultPatience,
  type Patience,
  request,
  retrying,
  TemporaryProblem,
  type Transfer,
  transfer,
} from '@anyclass/files/downloads';
import { UserError } from '../errors/userError.js';
import type { RunEventListener } from '../events/runEvent.js';
import { knownHash } from './checkedFile.js';
import {
  absentAt,
  blobPath,
  type CachedHubFile,
  cachedHubFile,
  keepAbsence,
  keepCommit,
  linkedHash,
  linkSnapshot,
  lockPath,
  snapshotPath,
} from './hubCache.js';
import { checkHubFile, fileAddress, type HubFile, isCommit } from './hubFile.js';
import { NotOnServer, toldToUser } from './problems.js';
import { type HubSettings, hubSettings } from './settings.js';

export interface DownloadOptions {
  /** Default: from the environment. */
  readonly settings?: HubSettings | undefined;
  /** Called with the progress, and with the reason for each retry. */
  readonly onEvent?: RunEventListener | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly patience?: Patience | undefined;
  /**
   * Ask the hub for the current commit of a branch, even if the cache has the file at an
   * earlier one. Default false.
   */
  readonly refresh?: boolean | undefined;
}

/**
 * Returns the local path of a hub file. A cached file is used without a request, except with `refresh`;
 * anything else is downloaded.
 *
 * @throws UserError if the file cannot be obtained; `NotOnServer` if the hub has no such file
 *
 * @example
 * const { path } = await hubFile({ repository: 'timm/resnet18.a1_in1k', revision: 'main', file: 'config.json' });
 */
export async function hubFile(wanted: HubFile, options: DownloadOptions = {}): Promise<CachedHubFile> {
  checkHubFile(wanted);
  const { settings = hubSettings(), refresh = false } = options;
  const cached = await intactHubFile(wanted, settings, options);
  if (cached && (!refresh || settings.isOffline || isCommit(wanted.revision))) return cached;
  const absent = absentAt(settings.cache, wanted);
  if (absent !== undefined && (!refresh || settings.isOffline)) {
    throw new NotOnServer(`${titleOf(wanted)}: commit ${absent} has no such file`, absent);
  }
  if (settings.isOffline) {
    throw new UserError(
      `${titleOf(wanted)}: revision ${wanted.revision} is not in ${settings.cache}, and HF_HUB_OFFLINE is set; download it first, or unset the variable`,
    );
  }
  const facts = await askHub(wanted, settings, options);
  const path = snapshotPath(settings.cache, wanted, facts.commit);
  if (existsSync(path)) keepCommit(settings.cache, wanted, facts.commit);
  else await bringIn(wanted, facts, settings, options);
  return { path, commit: facts.commit };
}

/**
 * The cached file, if its bytes have the hash that it is named after. A damaged one is removed, so that it is
 * downloaded again.
 *
 * @throws UserError if it is damaged and nothing may be downloaded
 */
async function intactHubFile(
  wanted: HubFile,
  settings: HubSettings,
  options: DownloadOptions,
): Promise<CachedHubFile | undefined> {
  const { cache, isOffline } = settings;
  const cached = cachedHubFile(cache, wanted);
  if (!cached) return undefined;
  // On systems without links, the snapshot has the file itself, and nothing says what it should be.
  const tag = linkedHash(cached.path);
  const checksum = tag === undefined ? undefined : checksumOfTag(tag);
  if (!tag || !checksum) return cached;
  const found = await knownHash(settings, cached.path, checksum);
  if (found === checksum.value) return cached;
  const problem = `${cached.path} is damaged: its hash is ${found}; expected ${tag}`;
  if (isOffline) throw new UserError(`${problem}. Download it again without HF_HUB_OFFLINE`);
  noteTo(options)?.(`${problem}. It is downloaded again`);
  const blob = blobPath(cache, wanted.repository, tag);
  mkdirSync(dirname(lockPath(cache, wanted.repository, tag)), { recursive: true });
  await withSharedLock(lockPath(cache, wanted.repository, tag), () => rmSync(blob, { force: true }));
  return undefined;
}

async function askHub(wanted: HubFile, settings: HubSettings, options: DownloadOptions): Promise<HubFacts> {
  try {
    const facts = await hubFacts(wanted, options);
    const { value } = facts.checksum;
    if (wanted.sha256 === undefined || value === wanted.sha256) return facts;
    throw new UserError(
      `${titleOf(wanted)}: the hub has a file with the hash ${value}; expected ${wanted.sha256}`,
    );
  } catch (error) {
    if (error instanceof NotOnServer && error.commit !== null && isCommit(error.commit)) {
      keepAbsence(settings.cache, wanted, error.commit);
    }
    throw error;
  }
}

/** What the hub says about a file before it is downloaded. */
export interface HubFacts {
  readonly commit: string;
  readonly checksum: Checksum;
  readonly size: number | undefined;
}

/**
 * Asks the hub for a file's commit, hash, and size.
 *
 * @example
 * const { checksum } = await hubFacts({ repository: 'timm/resnet18.a1_in1k', revision: 'main', file: 'model.safetensors' });
 */
export async function hubFacts(wanted: HubFile, options: DownloadOptions = {}): Promise<HubFacts> {
  const { settings = hubSettings(), patience = defaultPatience, signal } = options;
  const title = titleOf(wanted);
  const ask = async () => {
    const silence = AbortSignal.timeout(patience.silence);
    try {
      const { headers } = await request({
        address: fileAddress(settings.endpoint, wanted),
        method: 'HEAD',
        token: settings.token,
        stayOnHost: true,
        signal: signal ? AbortSignal.any([signal, silence]) : silence,
      });
      return factsIn(headers, `${title}: ${settings.endpoint}`);
    } catch (error) {
      throw silence.aborted ? new TemporaryProblem(`${settings.endpoint} did not answer`) : error;
    }
  };
  return await toldToUser(
    () => retrying(ask, { title, patience, signal, onNote: noteTo(options) }),
    settings,
  );
}

/**
 * Reads the response headers. The commit and the checksum become file names, so only
 * real hashes are accepted.
 */
function factsIn(headers: Headers, server: string): HubFacts {
  const commit = headers.get('x-repo-commit');
  if (commit === null || !isCommit(commit)) {
    throw new UserError(
      `${server} does not respond like a Hugging Face hub (no X-Repo-Commit); is a login page or a proxy in between?`,
    );
  }
  const tag = headers.get('x-linked-etag') ?? headers.get('etag');
  const checksum = checksumOfTag(tag?.replace(/^W\//, '').replaceAll('"', '') ?? '');
  if (!checksum) throw new UserError(`${server} gives no hash to verify the file with (ETag ${tag})`);
  const size =
    headers.get('x-linked-size') ?? (headers.has('location') ? null : headers.get('content-length'));
  return { commit, checksum, size: size === null ? undefined : Number(size) };
}

async function bringIn(
  wanted: HubFile,
  facts: HubFacts,
  settings: HubSettings,
  options: DownloadOptions,
): Promise<void> {
  const { repository } = wanted;
  const { value: hash } = facts.checksum;
  const target = blobPath(settings.cache, repository, hash);
  await downloadOnce({
    ...options,
    lock: lockPath(settings.cache, repository, hash),
    address: fileAddress(settings.endpoint, { ...wanted, revision: facts.commit }),
    token: settings.token,
    target,
    checksum: facts.checksum,
    size: facts.size,
    title: titleOf(wanted),
    keep: () => linkSnapshot(settings.cache, wanted, facts.commit, hash),
  });
}

export interface SharedDownload
  extends DownloadOptions,
    Pick<Transfer, 'address' | 'token' | 'target' | 'checksum' | 'size' | 'title'> {
  readonly lock: string;
  /**
   * Called while the lock is held, once the file is in place. Receives undefined if
   * the file was already there.
   */
  readonly keep: (arrived: { readonly hash: string; readonly size: number } | undefined) => unknown;
}

/**
 * Downloads a file unless another process has done so: among all that want it, one
 * transfers and the others wait.
 */
export async function downloadOnce(download: SharedDownload): Promise<void> {
  const { lock, target, keep, title, signal, onEvent, patience = defaultPatience } = download;
  const { settings = hubSettings() } = download;
  mkdirSync(dirname(lock), { recursive: true });
  mkdirSync(dirname(target), { recursive: true });
  const onNote = noteTo(download);
  let isLost = false;
  const work = async (lost: AbortSignal) => {
    if (existsSync(target)) return keep(undefined);
    const ends = signal ? AbortSignal.any([signal, lost]) : lost;
    try {
      return keep(
        await toldToUser(
          () =>
            transfer({
              ...download,
              patience,
              signal: ends,
              onNote,
              onProgress: progressTo(onEvent, title),
            }),
          settings,
        ),
      );
    } catch (error) {
      isLost = lost.aborted;
      if (!isLost) throw error;
      return undefined;
    }
  };
  const onWait = () => onNote?.(`${title}: waiting for another process that is downloading it`);
  await withSharedLock(lock, work, { pause: 100, signal, onWait });
  if (isLost) await downloadOnce(download);
}

function noteTo({ onEvent }: DownloadOptions): ((text: string) => void) | undefined {
  return onEvent && ((text) => onEvent({ type: 'note', text }));
}

const progressEvery = 200;

function progressTo(onEvent: RunEventListener | undefined, title: string): Transfer['onProgress'] {
  let last = Number.NEGATIVE_INFINITY;
  return (done, total) => {
    const now = performance.now();
    if (!onEvent || (now - last < progressEvery && done < total)) return;
    last = now;
    onEvent({ type: 'progress', task: `downloading ${title}`, done, total, unit: 'bytes' });
  };
}

function titleOf({ repository, file }: HubFile): string {
  return `${repository}/${file}`;
}
