// Options of a server. The limits apply by default, so a server started without options is protected too.

import { z } from 'zod';
import type { ChosenDecision } from '../../inference/modelDecision.js';

const megabyte = 1e6;

/** All options with their defaults; the command line has the same ones. */
export const serveFields = {
  port: z.int().min(0).max(65_535).default(8080).describe('port to listen on; 0 picks a free one'),
  host: z
    .string()
    .default('127.0.0.1')
    .describe('address to listen on; 0.0.0.0 for all interfaces')
    .meta({ placeholder: 'ADDRESS' }),
  device: z.string().default('auto').describe('device to compute on').meta({ placeholder: 'cpu|cuda' }),
  precision: z
    .enum(['auto', 'float32', 'bfloat16', 'float16'])
    .default('auto')
    .describe('precision of a run or safetensors model; auto is float32 on the CPU, bfloat16 on a GPU'),
  maxBatch: z.int().positive().default(32).describe('maximum images per batch'),
  maxDelay: z
    .number()
    .min(0)
    .default(0)
    .describe('milliseconds that an idle model waits to fill a batch; 0 starts at once')
    .meta({ placeholder: 'MS' }),
  queue: z.int().positive().default(256).describe('maximum images in flight; more get 429 with Retry-After'),
  buffer: z
    .number()
    .positive()
    .default(512)
    .describe('maximum megabytes of requests in memory; more get 429 with Retry-After')
    .meta({ placeholder: 'MB' }),
  timeout: z
    .number()
    .positive()
    .default(30)
    .describe('seconds that a request may take before it is dropped with 503')
    .meta({ placeholder: 'SECONDS' }),
  minRate: z
    .number()
    .min(0)
    .default(4)
    .describe('minimum kilobytes per second at which a body arrives after 5 s; slower ones get 408')
    .meta({ placeholder: 'KB' }),
  slowUploads: z
    .int()
    .positive()
    .default(32)
    .describe('maximum bodies per client address that take over 2 s; the slowest of more get 408'),
  maxBody: z
    .number()
    .positive()
    .default(32)
    .describe('maximum megabytes per request; more get 413')
    .meta({ placeholder: 'MB' }),
  maxImages: z.int().positive().default(32).describe('maximum images per request; more get 413'),
  maxPixels: z
    .number()
    .positive()
    .default(64)
    .describe('maximum megapixels per image; larger images get 413')
    .meta({ placeholder: 'MEGAPIXELS' }),
  reload: z
    .number()
    .min(0)
    .default(2)
    .describe('seconds between checks for a changed model file, which is then reloaded; 0 disables checks')
    .meta({ placeholder: 'SECONDS' }),
  drain: z
    .number()
    .min(0)
    .default(1)
    .describe('seconds to keep accepting requests after SIGTERM, while /health/ready returns 503')
    .meta({ placeholder: 'SECONDS' }),
  allowHost: z
    .array(z.string())
    .default([])
    .describe('also accept requests for this host name, or * for any; may be repeated')
    .meta({ placeholder: 'NAME' }),
  allowOrigin: z
    .array(z.string())
    .default([])
    .describe('let pages from this origin call the server, or * for any; may be repeated')
    .meta({ placeholder: 'ORIGIN' }),
  examples: z
    .boolean()
    .default(false)
    .describe('offer images of the run on the page, to try; everyone who can open it sees them'),
  logPredictions: z
    .string()
    .optional()
    .describe('append each prediction to FILE as a JSON line')
    .meta({ placeholder: 'FILE' }),
  audit: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe('draw this share of all images to be labeled, and log which; monitor then judges the promise')
    .meta({ placeholder: 'SHARE' }),
  keepAudited: z
    .string()
    .optional()
    .describe('keep the images that were drawn in DIR, under their SHA-256; at most 1 GiB')
    .meta({ placeholder: 'DIR' }),
  shadow: z
    .array(z.string())
    .default([])
    .describe(
      'let PATH see the images of model NAME too and log its answers, which no client gets; may be repeated',
    )
    .meta({ placeholder: 'NAME=PATH' }),
  logLevel: z
    .enum(['info', 'warn', 'error'])
    .default('info')
    .describe('lowest level to log; info includes every request'),
};

export const serveOptions = z.object(serveFields);

/** All options, with defaults filled in. */
export type ServeSettings = z.output<typeof serveOptions>;

export interface ServeOptions extends z.input<typeof serveOptions> {
  /** Token that requests must send as `Authorization: Bearer TOKEN`; health checks and pages need none. */
  readonly token?: string | undefined;
  /** How labels are decided; default each model's own decision. */
  readonly decision?: ChosenDecision | undefined;
  /** Receives log lines; default standard error. */
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
