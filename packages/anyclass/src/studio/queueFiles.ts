// Queues of images to label, found below the folders: those of `mine` and `select`, and logs of a server that draws audits.

import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { QueueEntry, QueueItem } from '@anyclass/studio';
import { auditItems } from '../audits/auditItems.js';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { readQueue } from '../queues/imageQueue.js';
import { Problem } from '../web/problem.js';
import { bounded } from './bounded.js';
import { type Folder, idOf, realBelow, refuseUnusual } from './folders.js';
import { auditStore, type LabelStore, tableStore } from './labelStores.js';

/** A queue, opened. */
export interface OpenedQueue {
  readonly classes: readonly string[];
  readonly items: readonly QueueItem[];
  readonly store: LabelStore;
  /** Whether an item has this name. */
  has(name: string): boolean;
  /** The file of an item's image, which is not checked yet. */
  imageOf(name: string): string | undefined;
}

const deepest = 2;
const largest = 256 << 20;
const ownLogs = new Set(['events.jsonl', 'metrics.jsonl', 'test-seen.jsonl']);

/** Lists the queues below the folders, which are looked for two levels deep. */
export function findQueues(folders: readonly Folder[]): QueueEntry[] {
  return folders.flatMap((folder) =>
    filesBelow(folder.path, 0).flatMap((path): QueueEntry[] => {
      const kind = kindOf(path);
      return kind === undefined ? [] : [{ id: idOf(folder, path), ...kind }];
    }),
  );
}

function filesBelow(path: string, depth: number): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const inner = join(path, entry.name);
      if (!isSearched(entry.name)) return [];
      if (entry.isFile() && isCandidate(entry.name)) return [inner];
      return entry.isDirectory() && depth < deepest && !existsSync(join(inner, 'config.json'))
        ? filesBelow(inner, depth + 1)
        : [];
    });
  } catch {
    return []; // It was deleted meanwhile, or may not be read.
  }
}

type Kind = Pick<QueueEntry, 'kind' | 'count'>;

/** What files were found to be, by their path, size and time: logs grow long, and every picture of a queue asks. */
const kinds = bounded<{ readonly kind: Kind | undefined }>(10_000, () => 1);

function kindOf(path: string): Kind | undefined {
  const stamp = stampOf(path);
  const known = kinds.get(stamp);
  if (known) return known.kind;
  const kind = readKind(path);
  kinds.set(stamp, { kind });
  return kind;
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return `${path}\n${found?.size} ${found?.mtimeMs}`;
}

function readKind(path: string): Kind | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > largest) return undefined;
    if (path.endsWith('.json')) {
      // Annotations of a dataset may be as large as a log; a queue says at once that it is one.
      if (!beginning(path).includes('"queue"')) return undefined;
      const { queue, images } = readQueue(path);
      return { kind: queue, count: images.length };
    }
    const lines = readFileSync(path, 'utf8').split('\n');
    const drawn = lines.filter((line) => line.includes('"audit"') && isDrawn(parsedJson(line)));
    return drawn.length === 0 ? undefined : { kind: 'audit', count: drawn.length };
  } catch {
    return undefined;
  }
}

function beginning(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4096);
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

function isDrawn(line: unknown): boolean {
  if (typeof line !== 'object' || line === null || !('audit' in line)) return false;
  const { audit } = line;
  return typeof audit === 'object' && audit !== null && 'drawn' in audit && audit.drawn === true;
}

/** The queues that were opened last; another one is opened if its files changed. */
const opened = bounded<Promise<OpenedQueue>>(8, () => 1);

/**
 * Opens a queue by its id, which must be one that can be found.
 *
 * @throws UserError if it cannot be read
 */
export async function openQueue(id: string, folders: readonly Folder[]): Promise<OpenedQueue> {
  const path = folders.map((folder) => pathIn(folder, id)).find((each) => each !== undefined);
  const kind = path === undefined ? undefined : kindOf(path)?.kind;
  if (path === undefined || kind === undefined)
    throw new Problem('not-found', `there is no queue '${id}' any more`);
  const labels = kind === 'audit' ? auditLabels(path) : `${path.replace(/\.json$/, '')}-labels.csv`;
  refuseUnusual(folders, labels);
  const key = [stampOf(path), stampOf(join(dirname(path), 'audited')), labels].join('\n');
  const known = opened.get(key) ?? (kind === 'audit' ? auditQueue(path, labels) : listQueue(path, labels));
  opened.set(key, known);
  known.catch(() => opened.delete(key));
  return known;
}

/** The file that an id names in a folder: only what `findQueues` may find. */
function pathIn(folder: Folder, id: string): string | undefined {
  const inner =
    folder.name === '' ? id : id.startsWith(`${folder.name}/`) ? id.slice(folder.name.length + 1) : '';
  const parts = inner.split('/');
  const isPlace = parts.length <= deepest + 1 && parts.every(isSearched) && isCandidate(parts.at(-1)!);
  return isPlace ? realBelow([folder], join(folder.path, inner)) : undefined;
}

function isSearched(name: string): boolean {
  return name !== '' && !name.startsWith('.') && name !== 'node_modules';
}

function isCandidate(name: string): boolean {
  return /\.jsonl?$/.test(name) && !ownLogs.has(name);
}

async function listQueue(path: string, table: string): Promise<OpenedQueue> {
  const { classes, images } = readQueue(path);
  // The table can be trained on where it is: names are relative to it.
  const files = new Map(images.map(({ image }) => [relative(dirname(table), image), image]));
  return {
    classes,
    store: tableStore(table, classes),
    items: images.map(({ image, presence, outcome, labels }) => ({
      name: relative(dirname(table), image),
      title: basename(image),
      note: [`${outcome}, presence ${(100 * presence).toFixed(1)}%`, ...labels].join(' · '),
      hasImage: true,
    })),
    has: (name) => files.has(name),
    imageOf: (name) => files.get(name),
  };
}

/** The images that the server kept are in `audited` beside its log. */
async function auditQueue(path: string, labels: string): Promise<OpenedQueue> {
  const images = join(dirname(path), 'audited');
  const { items, classes } = await auditItems({
    logs: [path],
    labels,
    ...(existsSync(images) && { images }),
  });
  if (classes.length === 0) throw new UserError(`${path} does not name the classes of its model`);
  const files = new Map(items.map(({ id, image }) => [id, image]));
  return {
    classes,
    store: auditStore(labels, classes),
    items: items.map(({ id, name = id, image }) => ({
      name: id,
      title: name,
      note: '',
      hasImage: image !== undefined,
    })),
    has: (id) => files.has(id),
    imageOf: (id) => files.get(id),
  };
}

/** The table that `anyclass audit` began beside the log, or one of the log's own; a table of data may be called the same. */
function auditLabels(log: string): string {
  const begun = join(dirname(log), 'labels.csv');
  const isFile = statSync(begun, { throwIfNoEntry: false })?.isFile() === true;
  const isOurs = isFile && /^(id|[^\n]*,id)[,\r\n]/.test(beginning(begun));
  return isOurs ? begun : log.replace(/\.jsonl$/, '-labels.csv');
}
