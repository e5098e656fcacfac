/** Kinds of files that need more than a single call to sharp; `plain` is everything else. */
export type ImageKind = 'plain' | 'png16' | 'tiff' | 'animation' | 'dicom' | 'bmp';

const signatures: readonly (readonly [text: string, at: number, kind: ImageKind])[] = [
  ['\xff\xd8\xff', 0, 'plain'],
  ['\x89PNG', 0, 'plain'],
  ['DICM', 128, 'dicom'], // before TIFF: some DICOM files also start like a TIFF
  ['II*\0', 0, 'tiff'],
  ['MM\0*', 0, 'tiff'],
  ['II+\0', 0, 'tiff'],
  ['MM\0+', 0, 'tiff'],
  ['GIF8', 0, 'animation'],
  ['WEBP', 8, 'animation'],
  ['BM', 0, 'bmp'],
];

/**
 * The kind of an image file, judging by its content.
 *
 * @example
 * imageKind(await readFile('scan.dcm')) // 'dicom'
 */
export function imageKind(bytes: Uint8Array): ImageKind {
  const found = signatures.find(([text, at]) => holds(bytes, text, at));
  // Byte 24 of a PNG's header is its bits per channel.
  if (found?.[0] === '\x89PNG' && bytes[24] === 16) return 'png16';
  return found?.[2] ?? 'plain';
}

function holds(bytes: Uint8Array, text: string, at: number): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
