/** Kinds of files that need more than one call of sharp; `plain` is all else. */
export type ImageKind = 'plain' | 'png16' | 'tiff' | 'animation' | 'dicom' | 'bmp';

const signatures: readonly (readonly [text: string, at: number, kind: ImageKind])[] = [
  ['\xff\xd8\xff', 0, 'plain'],
  ['\x89PNG', 0, 'plain'],
  ['DICM', 128, 'dicom'], // before TIFF: some begin as one too
  ['II*\0', 0, 'tiff'],
  ['MM\0*', 0, 'tiff'],
  ['II+\0', 0, 'tiff'],
  ['MM\0+', 0, 'tiff'],
  ['GIF8', 0, 'animation'],
  ['WEBP', 8, 'animation'],
  ['BM', 0, 'bmp'],
];

/**
 * The kind of an image file, told by its content.
 *
 * @example
 * imageKind(await readFile('scan.dcm')) // 'dicom'
 */
export function imageKind(bytes: Uint8Array): ImageKind {
  const found = signatures.find(([text, at]) => holds(bytes, text, at));
  // A PNG's bits a channel are in its header.
  if (found?.[0] === '\x89PNG' && bytes[24] === 16) return 'png16';
  return found?.[2] ?? 'plain';
}

function holds(bytes: Uint8Array, text: string, at: number): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
