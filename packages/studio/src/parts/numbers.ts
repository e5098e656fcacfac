// Numbers and times as readers see them.

import { percentText } from '@anyclass/kit';

export function percent(value: number | null | undefined, digits = 1): string {
  return value === null || value === undefined ? '–' : percentText(value, digits);
}

/**
 * @example
 * durationText(4000) // '1 h 7 min'
 */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

/** How long ago something was, in words. */
export function agoText(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (!Number.isFinite(seconds)) return '';
  return seconds < 60 ? 'just now' : `${durationText(seconds)} ago`;
}

/** A metric of a run: losses as they are, everything else in percent. */
export function metricText(metric: string, value: number | null): string {
  if (value === null) return '–';
  return metric === 'loss' || metric === 'bce' ? value.toFixed(4) : percentText(value);
}

/** The last part of an id, and what stands before it. */
export function splitId(id: string): { readonly name: string; readonly place: string } {
  const at = id.lastIndexOf('/');
  return { name: id.slice(at + 1), place: id.slice(0, Math.max(0, at)) };
}
