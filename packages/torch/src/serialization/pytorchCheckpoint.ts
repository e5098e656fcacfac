// Weights from PyTorch files. torch.save writes a zip archive that holds a pickle of everything except the tensors'
// bytes, which are separate entries. Loading a pickle in Python may run any program; here nothing runs (see pickle.ts).

import type { CheckpointValue, SkippedObject } from './checkpointValue.js';
import { CheckpointError, quoted } from './errors.js';
import { materialize } from './materialize.js';
import { unpickle } from './pickle.js';
import { type RandomAccessFile, withFile } from './randomAccessFile.js';
import { torchWorld } from './torchWorld.js';
import { listZipEntries, readZipEntry, type ZipEntry } from './zip.js';

/** How to read a checkpoint. */
export interface ReadCheckpointOptions {
  /** `skip` (the default) leaves out objects of unknown Python classes and lists them; `refuse` throws. */
  readonly onUnknown?: 'skip' | 'refuse';
}

/** A checkpoint, and what was left out of it. */
export interface PytorchCheckpoint {
  readonly value: CheckpointValue;
  readonly skipped: SkippedObject[];
}

/**
 * Reads a `.pt`, `.pth` or `.ckpt` file of PyTorch 1.6 or later. Tensors that share a storage in the file share their
 * bytes here too; copy before changing them.
 *
 * @example
 * const { value, skipped } = readPytorchCheckpoint('epoch=39.ckpt');
 * const { tensors, key } = findStateDict(value); // key: 'state_dict'
 * tensors.get('model.head.fc.weight')?.shape // [17, 2432]
 * skipped // [{ className: 'argparse.Namespace', path: 'hyper_parameters' }]
 */
export function readPytorchCheckpoint(path: string, options: ReadCheckpointOptions = {}): PytorchCheckpoint {
  const { onUnknown = 'skip' } = options;
  const checkpoint = withFile(path, CheckpointError, (file) => {
    refuseOtherFormats(file);
    return readArchive(file);
  });
  if (onUnknown === 'refuse' && checkpoint.skipped.length > 0) {
    const listed = checkpoint.skipped
      .slice(0, 10)
      .map((object) => `${object.className} (at ${object.path || 'top'})`);
    const more = checkpoint.skipped.length - listed.length;
    const objects = listed.join(', ') + (more > 0 ? ` and ${more} more` : '');
    throw new CheckpointError(path, `holds Python objects that cannot be read: ${objects}`);
  }
  return checkpoint;
}

// torch.save's pickles hold names and shapes: a few hundred bytes per tensor.
const longestPickle = 2 ** 27;

function readArchive(file: RandomAccessFile): PytorchCheckpoint {
  const entries = listZipEntries(file);
  const root = archiveRoot(file, entries);
  const entry = (name: string): ZipEntry => {
    const found = entries.get(`${root}/${name}`);
    if (found === undefined) {
      throw file.error(`lacks the entry ${quoted(`${root}/${name}`)}; the file is damaged`);
    }
    return found;
  };
  refuseBigEndian(file, entries.get(`${root}/byteorder`));
  const pickle = entry('data.pkl');
  if (pickle.size > longestPickle) {
    throw file.error(`has a pickle of ${pickle.size} bytes, over the limit of ${longestPickle}`);
  }
  return materialize(unpickle(readZipEntry(file, pickle), torchWorld, file.error), {
    readStorage: ({ key }) => readZipEntry(file, entry(`data/${key}`)),
    // Transposed weights are gathered once each; more than a few times the file's size means repetition.
    mostGathered: Math.max(2 ** 26, 8 * file.size),
    error: file.error,
  });
}

/** Returns the archive's root folder, which is the name under which it was saved, or `archive`. */
function archiveRoot(file: RandomAccessFile, entries: ReadonlyMap<string, ZipEntry>): string {
  const inRoot = (leaf: string) =>
    [...entries.keys()].filter((name) => name.endsWith(`/${leaf}`) && name.split('/').length === 2);
  if (inRoot('constants.pkl').length > 0 || inRoot('model.json').length > 0) {
    throw file.error(
      'is a TorchScript program, not a checkpoint; convert it in Python: ' +
        "torch.save(torch.jit.load('old.pt', map_location='cpu').state_dict(), 'new.pt')",
    );
  }
  const pickles = inRoot('data.pkl');
  const [pickle] = pickles;
  if (pickle === undefined) {
    throw file.error('is a zip archive without data.pkl, so torch.save did not write it');
  }
  if (pickles.length > 1) throw file.error(`holds several checkpoints: ${pickles.map(quoted).join(', ')}`);
  return pickle.slice(0, pickle.indexOf('/'));
}

function refuseBigEndian(file: RandomAccessFile, entry: ZipEntry | undefined): void {
  // Files from before PyTorch 2.1 have no such entry and are, in practice, little-endian.
  if (entry === undefined) return;
  const order = entry.size > 16 ? 'something long' : new TextDecoder().decode(readZipEntry(file, entry));
  if (order !== 'little') {
    throw file.error(
      `has byte order ${quoted(order)}; only 'little' is supported. Save it again on a little-endian machine`,
    );
  }
}

function refuseOtherFormats(file: RandomAccessFile): void {
  const head = Buffer.from(file.read(0, Math.min(512, file.size)));
  if (head.toString('latin1', 0, 4) === 'PK\x03\x04') return;
  const isTar = head.toString('latin1', 257, 262) === 'ustar';
  // A pickle of protocol 2 or later; before PyTorch 1.6, a checkpoint was several of them in a row.
  if (isTar || (head[0] === 0x80 && head[1]! >= 2 && head[1]! <= 5)) {
    throw file.error(
      'is in the format from before PyTorch 1.6, which is not supported; convert it in Python: ' +
        "torch.save(torch.load('old.pt', map_location='cpu', weights_only=True), 'new.pt')",
    );
  }
  if (head[8] === 0x7b && head.readBigUInt64LE(0) <= file.size) {
    throw file.error('looks like a safetensors file; read it with readSafetensors');
  }
  throw file.error('is not a PyTorch checkpoint: it does not start like a zip archive');
}
