// Lists on the command line: words and numbers separated by commas.

import { type DeviceName, isDeviceName } from '../../children/devices.js';
import { UsageError } from '../../errors/usageError.js';

/** Splits at commas and trims; `option` is named in messages. */
export function parseWords(text: string, option: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('')) throw new UsageError(`'${text}' has an empty entry`, option);
  return words;
}

/**
 * Parses numbers separated by commas.
 *
 * @example
 * parseNumbers('1, 2,3', 'seeds') // [1, 2, 3]
 */
export function parseNumbers(text: string, option: string): number[] {
  return text.split(',').map((word) => {
    const value = word.trim() === '' ? Number.NaN : Number(word);
    if (Number.isNaN(value)) throw new UsageError(`'${word}' is not a number`, option);
    return value;
  });
}

/**
 * Parses devices separated by commas.
 *
 * @example
 * parseDevices('cuda:0,cuda:1') // ['cuda:0', 'cuda:1']
 */
export function parseDevices(text: string): DeviceName[] {
  return text.split(',').map((word) => {
    const name = word.trim();
    if (!isDeviceName(name)) throw new UsageError(`'${name}' is neither cpu nor cuda:N`, 'devices');
    return name;
  });
}
