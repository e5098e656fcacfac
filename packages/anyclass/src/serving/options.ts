// What a server is started with. The limits hold by default: a server without options is one that strangers may try to overload.

import { z } from 'zod';
import type { ChosenDecision } from '../inference/modelDecision.js';

const megabyte = 1e6;

/** Every option with its default; the command line has the same ones. */
export const serveFields = {
  port: z.int().min(0).max(65_535).default(8080).describe('0 takes a free one'),
  host: z
    .string()
    .default('127.0.0.1')
    .describe('address to listen on; 0.0.0.0 is every network of this machine')
    .meta({ placeholder: 'ADDRESS' }),
  device: z.string().default('auto').describe('where to compute').meta({ placeholder: 'cpu|cuda' }),
  precision: z
    .enum(['auto', 'float32', 'bfloat16', 'float16'])
    .default('auto')
    .describe('of a run or safetensors model; auto is float32 on the CPU, bfloat16 on a GPU'),
  maxBatch: z.int().positive().default(32).describe('most images that are computed together'),
  maxDelay: z
    .number()
    .min(0)
    .default(0)
    .describe('milliseconds that an idle model waits for more images; 0 starts at once')
    .meta({ placeholder: 'MS' }),
  queue: z
    .int()
    .positive()
    .default(256)
    .describe('most images in the server at a time; more get 429 with Retry-After'),
  buffer: z
    .number()
    .positive()
    .default(512)
    .describe('most megabytes of requests in memory at a time; more get 429 with Retry-After')
    .meta({ placeholder: 'MB' }),
  timeout: z
    .number()
    .positive()
    .default(30)
    .describe('seconds from the arrival of a request to its answer; then it is dropped with 503')
    .meta({ placeholder: 'SECONDS' }),
  maxBody: z
    .number()
    .positive()
    .default(32)
    .describe('most megabytes in one request; more get 413')
    .meta({ placeholder: 'MB' }),
  maxImages: z.int().positive().default(32).describe('most images in one request; more get 413'),
  maxPixels: z
    .number()
    .positive()
    .default(64)
    .describe('most megapixels of an image; a larger one gets 413')
    .meta({ placeholder: 'MEGAPIXELS' }),
  reload: z
    .number()
    .min(0)
    .default(2)
    .describe('seconds between looks at the model file, which is reloaded when it changed; 0 never looks')
    .meta({ placeholder: 'SECONDS' }),
  drain: z
    .number()
    .min(0)
    .default(1)
    .describe('seconds that new requests are still accepted after SIGTERM, while /health/ready says no')
    .meta({ placeholder: 'SECONDS' }),
  allowHost: z
    .array(z.string())
    .default([])
    .describe('also answer requests for this host name, or * for any; may be repeated')
    .meta({ placeholder: 'NAME' }),
  allowOrigin: z
    .array(z.string())
    .default([])
    .describe('let pages of this origin call the server, or * for any; may be repeated')
    .meta({ placeholder: 'ORIGIN' }),
  logPredictions: z
    .string()
    .optional()
    .describe('append every prediction to this file as a JSON line; off by default')
    .meta({ placeholder: 'FILE' }),
  logLevel: z
    .enum(['info', 'warn', 'error'])
    .default('info')
    .describe('least important log lines that are written; info has a line for each request'),
};

export const serveOptions = z.object(serveFields);

/** All options, with defaults filled in. */
export type ServeSettings = z.output<typeof serveOptions>;

export interface ServeOptions extends z.input<typeof serveOptions> {
  /** Requests must bring it as `Authorization: Bearer TOKEN`; health checks and pages need none. */
  readonly token?: string | undefined;
  /** How labels are decided; default each model's own decision. */
  readonly decision?: ChosenDecision | undefined;
  /** Takes log lines; default standard error. */
  readonly log?: ((line: string) => void) | undefined;
}

/** The limits of a request, in bytes, pixels and milliseconds. */
export interface RequestLimits {
  readonly bodyBytes: number;
  readonly images: number;
  readonly pixels: number;
  readonly milliseconds: number;
}

export function requestLimits(settings: ServeSettings): RequestLimits {
  const { maxBody, maxImages, maxPixels, timeout } = settings;
  return {
    bodyBytes: maxBody * megabyte,
    images: maxImages,
    pixels: maxPixels * 1e6,
    milliseconds: timeout * 1000,
  };
}

export function bufferBytes({ buffer }: ServeSettings): number {
  return buffer * megabyte;
}
