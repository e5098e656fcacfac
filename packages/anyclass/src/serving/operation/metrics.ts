// Prometheus metrics: the server's health, and what its models predict, so that drift becomes visible.

import { presenceProbability } from '@anyclass/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ProblemKind } from '../../web/problem.js';
import type { ImageAnswer, VersionListener } from '../models/modelVersion.js';
import type { OpenedModel } from '../models/workerMessages.js';
import type { Admission } from '../requests/admission.js';

/** Number of recent images that the share of negatives is computed over. */
const window = 1000;

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const shares = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];

export interface ServingMetrics {
  readonly contentType: string;
  text(): Promise<string>;
  request(route: string, method: string, status: number, seconds: number): void;
  rejected(reason: ProblemKind): void;
  /** Counts a prediction refused because the queue is full; the histogram of request times excludes these. */
  refused(): void;
  /** Returns a listener that records the timings of a model. */
  listener(model: string): VersionListener;
  predicted(model: string, classes: readonly string[], answer: ImageAnswer): void;
  opened(model: string, opened: OpenedModel): void;
  reloaded(model: string, result: 'ok' | 'failed'): void;
}

/**
 * Creates the metrics of a server.
 *
 * @example
 * const metrics = createMetrics(admission);
 * await metrics.text() // '# HELP anyclass_requests_total …'
 */
export function createMetrics(admission: Admission): ServingMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `anyclass_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) => new Histogram({ name: `anyclass_${name}`, help, labelNames, buckets, registers });
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    collect?: (this: Gauge<Label>) => void,
  ) => new Gauge({ name: `anyclass_${name}`, help, labelNames, registers, ...(collect && { collect }) });

  const requests = counter('requests_total', 'Requests by status', ['route', 'method', 'status']);
  const requestSeconds = histogram(
    'request_seconds',
    'Time from the arrival of a request to its answer',
    ['route'],
    seconds,
  );
  const rejections = counter('rejections_total', 'Requests refused or dropped, by reason', ['reason']);
  const decodeSeconds = histogram('decode_seconds', 'Time to check and decode an image', ['model'], seconds);
  const queueSeconds = histogram(
    'queue_seconds',
    'Time a decoded image waits for its batch',
    ['model'],
    seconds,
  );
  const inferenceSeconds = histogram('inference_seconds', 'Time to compute a batch', ['model'], seconds);
  const batchImages = histogram('batch_images', 'Images per batch', ['model'], batchSizes);
  const images = counter('images_total', 'Images predicted', ['model']);
  const negatives = counter('negatives_total', 'Images without any predicted class', ['model']);
  const positives = counter('positives_total', 'Images in which a class is predicted', ['model', 'class']);
  const presence = histogram(
    'presence_probability',
    'The probability that any class is present',
    ['model'],
    shares,
  );
  const negativeShare = gauge('negative_share', `Share of negatives among the last ${window} images`, [
    'model',
  ]);
  const info = gauge('model_info', 'The model version being served', [
    'model',
    'version',
    'network',
    'runtime',
    'device',
    'precision',
  ]);
  const openedAt = gauge('model_opened_timestamp_seconds', 'When the model was loaded', ['model']);
  const reloads = counter('model_reloads_total', 'Model reloads by result', ['model', 'result']);
  gauge('images_in_flight', 'Images in flight: queued, decoding or computing', [], function () {
    this.set(admission.images);
  });
  gauge('request_bytes_in_flight', 'Bytes of requests in flight', [], function () {
    this.set(admission.bytes);
  });
  const recent = new Map<string, RecentNegatives>();
  // Counted here and added to the registry only when it is read, because updating labels costs more than
  // refusing.
  let refusals = 0;
  const told = new Map<string, Record<string, string>>();

  return {
    contentType: registry.contentType,
    text() {
      requests.inc({ route: '/v1/predict', method: 'POST', status: 429 }, refusals);
      rejections.inc({ reason: 'queue-full' }, refusals);
      refusals = 0;
      return registry.metrics();
    },
    request(route, method, status, duration) {
      requests.inc({ route, method, status });
      requestSeconds.observe({ route }, duration);
    },
    rejected: (reason) => rejections.inc({ reason }),
    refused() {
      refusals += 1;
    },
    listener(model) {
      const own = { model };
      return {
        decoded: (duration) => decodeSeconds.observe(own, duration),
        waited: (duration) => queueSeconds.observe(own, duration),
        computed(count, duration) {
          batchImages.observe(own, count);
          inferenceSeconds.observe(own, duration);
        },
      };
    },
    predicted(model, classes, { labels, presenceScore }) {
      images.inc({ model });
      presence.observe({ model }, presenceProbability(presenceScore));
      let isNegative = true;
      for (const [j, label] of labels.entries()) {
        if (label !== 1) continue;
        isNegative = false;
        positives.inc({ model, class: classes[j]! });
      }
      if (isNegative) negatives.inc({ model });
      negativeShare.set({ model }, recent.get(model)?.add(isNegative) ?? 0);
    },
    opened(model, { version, network, runtime, device, precision, description }) {
      const labels = { model, version, network, runtime, device, precision };
      const before = told.get(model);
      if (before) info.remove(before);
      told.set(model, labels);
      info.set(labels, 1);
      openedAt.set({ model }, Date.now() / 1000);
      recent.set(model, new RecentNegatives());
      // Created up front, so that an alert on a class that was never predicted has a series to query.
      images.inc({ model }, 0);
      negatives.inc({ model }, 0);
      for (const name of description.classes) positives.inc({ model, class: name }, 0);
    },
    reloaded: (model, result) => reloads.inc({ model, result }),
  };
}

/** A ring buffer of the most recent images. */
class RecentNegatives {
  readonly #ring = new Uint8Array(window);
  #count = 0;
  #negatives = 0;

  /** Adds an image and returns the share of negatives. */
  add(isNegative: boolean): number {
    const at = this.#count % window;
    this.#negatives += (isNegative ? 1 : 0) - this.#ring[at]!;
    this.#ring[at] = isNegative ? 1 : 0;
    this.#count += 1;
    return this.#negatives / Math.min(this.#count, window);
  }
}
