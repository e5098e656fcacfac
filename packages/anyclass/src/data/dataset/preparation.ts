import { counted } from '../../errors/counted.js';
import { UserError } from '../../errors/userError.js';
import type { Preparation } from './dataset.js';
import { type ModelInput, takesFeatures } from './inputs.js';
import type { ImageReading, PixelFormat } from './reading/pixelFormat.js';

/** The changes that a user may make to the preparation of images. */
export interface PreparationChanges extends ImageReading {
  readonly channels?: Preparation['channels'] | undefined;
  readonly mean?: readonly number[] | undefined;
  readonly std?: readonly number[] | undefined;
}

/** The weights of red, green, and blue in gray (ITU-R BT.601). */
const luma = [0.299, 0.587, 0.114];

/**
 * Applies a user's changes to the preparation of images. Statistics that are not given follow the channels:
 * gray ones are the weighted mean of the colors' (an approximation for the standard deviation); color ones
 * repeat the gray ones three times.
 *
 * @example
 * changedPreparation(photographPreparation, { channels: 1 }).mean // [0.4589…]
 */
export function changedPreparation<Own extends Pick<Preparation, 'channels' | 'mean' | 'std'> & ImageReading>(
  own: Own,
  { channels = own.channels, mean, std, ...reading }: PreparationChanges,
): Own {
  const changed = {
    ...own,
    ...readingOf({ ...own, ...readingOf(reading) }),
    channels,
    mean: mean ?? forChannels(own.mean, channels),
    std: std ?? forChannels(own.std, channels),
  };
  for (const name of ['mean', 'std'] as const) {
    const { length } = changed[name];
    if (length === channels) continue;
    throw new UserError(
      `data.${name} has ${counted(length, 'number')}; expected ${channels}, one for each channel`,
    );
  }
  return changed;
}

/**
 * Applies a user's changes to a model's input. For features, nothing can be changed.
 *
 * @example
 * changedInput({ features: ['width'] }, { channels: 1 }) // UserError: data.channels has no effect: the model takes features
 */
export function changedInput(input: ModelInput, changes: PreparationChanges): ModelInput {
  if (!takesFeatures(input)) {
    const { channels, mean, std, ...reading } = changedPreparation(input, changes);
    return { channels, mean, std, ...readingOf(reading) };
  }
  const changed = (['channels', 'mean', 'std', 'window', 'frame', 'pixelLimit'] as const).find(
    (name) => changes[name] !== undefined,
  );
  if (changed !== undefined) {
    throw new UserError(
      `data.${changed} has no effect: the model takes features and standardizes them itself`,
    );
  }
  return { features: input.features };
}

/**
 * How images are decoded for a network's input.
 *
 * @example
 * pixelFormat(224, dataset.preparation) // { width: 224, height: 224, channels: 1, window: [0, 4095] }
 */
export function pixelFormat(
  size: number,
  preparation: Pick<Preparation, 'channels'> & ImageReading,
): PixelFormat {
  return { width: size, height: size, channels: preparation.channels, ...readingOf(preparation) };
}

/** The fields for reading files, with only those that are set. */
export function readingOf({ window, frame, pixelLimit }: ImageReading): ImageReading {
  return {
    ...(window !== undefined && { window }),
    ...(frame !== undefined && { frame }),
    ...(pixelLimit !== undefined && { pixelLimit }),
  };
}

function forChannels(values: readonly number[], channels: number): readonly number[] {
  if (values.length === channels) return values;
  if (channels === 1) return [values.reduce((sum, value, i) => sum + value * (luma[i] ?? 0), 0)];
  return Array.from({ length: channels }, () => values[0] ?? 0);
}
