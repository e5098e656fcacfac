// What `anyclass export` says about a model in config.json.

import type { Calibration, Decision } from '@anyclass/core';
import type { PixelFormat } from './images/pixelFormat.js';

export interface Preprocessing extends PixelFormat {
  readonly fit: 'fill';
  readonly resize: 'triangle';
  /** For pixels from 0 to 1, one number per channel or one for all. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** Everything about a model but its weights; classes are in the order of the outputs. */
export interface ExportedModel {
  readonly format: 'anyclass';
  readonly network: string;
  readonly precision: 'float32' | 'float16' | 'int8';
  readonly classes: readonly string[];
  readonly preprocessing: Preprocessing;
  readonly calibration: Calibration | null;
  readonly decision: Decision;
}

/**
 * Checks that a config.json describes a model that this package knows how to feed.
 *
 * @throws Error with what is wrong with it
 *
 * @example
 * checkModel(await (await fetch('model/config.json')).json(), 'model/config.json');
 */
export function checkModel(value: unknown, where: string): asserts value is ExportedModel {
  const wrong = (what: string) => new Error(`${where} ${what}; 'anyclass export' writes it beside the model`);
  if (!isRecord(value) || value['format'] !== 'anyclass') throw wrong('does not describe an exported model');
  const { classes, preprocessing, decision } = value;
  if (!Array.isArray(classes) || !classes.every((name) => typeof name === 'string'))
    throw wrong('names no classes');
  if (!isRecord(decision) || !Array.isArray(decision['thresholds'])) throw wrong('has no decision');
  if (!isRecord(preprocessing)) throw wrong('does not tell how images are prepared');
  const { features, fit, resize, channels, width, height, mean, std } = preprocessing;
  if (features !== undefined) throw wrong('describes a model of feature vectors, not of images');
  if (fit !== 'fill' || resize !== 'triangle')
    throw wrong(`asks for images prepared by '${fit}' and '${resize}', which this version cannot do`);
  const isSized = (channels === 1 || channels === 3) && isCount(width) && isCount(height);
  if (!isSized || !Array.isArray(mean) || !Array.isArray(std))
    throw wrong('does not tell the size of images, their mean and their deviation');
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
