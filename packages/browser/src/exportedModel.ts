// The description of a model that `anyclass export` writes to config.json.

import type { Calibration, Decision, Guard } from '@anyclass/core';
import type { PixelFormat } from './images/pixelFormat.js';

export interface Preprocessing extends PixelFormat {
  readonly fit: 'fill';
  readonly resize: 'triangle';
  /** For pixels from 0 to 1, one number per channel or one for all. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** Everything about a model except its weights; classes are in output order. */
export interface ExportedModel {
  readonly format: 'anyclass';
  readonly network: string;
  readonly precision: 'float32' | 'float16' | 'int8';
  readonly classes: readonly string[];
  readonly preprocessing: Preprocessing;
  readonly calibration: Calibration | null;
  readonly decision: Decision;
  /** Which images are odd; those that would be cleared are reviewed. */
  readonly guard?: Guard | undefined;
}

/**
 * Checks that a config.json describes a model that this package can run.
 *
 * @throws Error with what is wrong with it
 *
 * @example
 * checkModel(await (await fetch('model/config.json')).json(), 'model/config.json');
 */
export function checkModel(value: unknown, where: string): asserts value is ExportedModel {
  const wrong = (what: string) =>
    new Error(`${where} ${what}; use the config.json that 'anyclass export' writes next to the model`);
  if (!isRecord(value) || value['format'] !== 'anyclass') throw wrong('does not describe an exported model');
  const { classes, preprocessing, decision } = value;
  if (!Array.isArray(classes) || !classes.every((name) => typeof name === 'string'))
    throw wrong('lists no classes');
  if (!isRecord(decision) || !Array.isArray(decision['thresholds'])) throw wrong('has no decision');
  if (!isRecord(preprocessing)) throw wrong('does not say how images are preprocessed');
  const { features, fit, resize, channels, width, height, mean, std } = preprocessing;
  if (features !== undefined) throw wrong('describes a model for feature vectors, not images');
  if (fit !== 'fill' || resize !== 'triangle')
    throw wrong(`requires the preprocessing '${fit}' and '${resize}', which this version does not support`);
  const isSized = (channels === 1 || channels === 3) && isCount(width) && isCount(height);
  if (!isSized || !Array.isArray(mean) || !Array.isArray(std))
    throw wrong('does not give the size of images and their mean and standard deviation');
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
