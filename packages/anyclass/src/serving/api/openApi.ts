// The OpenAPI 3.1 description of the API, generated from the schemas that check requests.

import { z } from 'zod';
import { version } from '../../runs/version.js';
import { problems } from '../../web/problem.js';
import * as schemas from './schemas.js';

/** The path of the page about the API, which explains every kind of problem. */
export const docsPath = '/docs';

/** An endpoint of the API. */
export interface Operation {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Media types of the body with their schemas; null for plain bytes. */
  readonly body?: Readonly<Record<string, z.ZodType | null>>;
  /** The content of a successful answer: a schema, or a media type. */
  readonly answer: z.ZodType | string;
  /** The kinds of problems that it may return. */
  readonly problems: readonly (keyof typeof problems)[];
  readonly query?: Readonly<Record<string, string>>;
  /** A command line that calls it; HOST stands for the server's address. */
  readonly example: string;
}

const predicting = [
  'bad-request',
  'too-large',
  'wrong-type',
  'unreadable',
  'queue-full',
  'deadline',
  'unavailable',
] as const;

export const operations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/predict',
    summary: 'Predict the classes of one or more images, or rows of features',
    description:
      'The body is an image, a form with files in any fields, or JSON with base64 images or, for a model of feature vectors, rows. An image that cannot be read gets a failure instead of a prediction; if no image can be read, the response is a problem.',
    query: {
      model: 'the model; required only if several are served',
      explain:
        '1 adds heat maps: where it sees presence and the predicted classes; takes several times as long',
    },
    body: {
      'image/*': null,
      'multipart/form-data': z.object({
        file: z.array(z.string().meta({ format: 'binary' })).describe('one image or several'),
        model: z.string().optional(),
      }),
      'application/json': schemas.predictRequest,
    },
    answer: schemas.predictResponse,
    problems: ['not-found', ...predicting],
    example: "curl --data-binary @photo.jpg -H 'Content-Type: image/jpeg' HOST/v1/predict",
  },
  {
    method: 'get',
    path: '/v1/models',
    summary: 'The models, their classes and decisions',
    answer: schemas.modelList,
    problems: ['unavailable'],
    example: 'curl HOST/v1/models',
  },
  {
    method: 'get',
    path: '/v1/models/{name}',
    summary: 'One model',
    answer: schemas.modelSummary,
    problems: ['not-found', 'unavailable'],
    example: 'curl HOST/v1/models/sewer',
  },
  {
    method: 'get',
    path: '/health/live',
    summary: 'The process is up',
    answer: 'text/plain',
    problems: [],
    example: 'curl HOST/health/live',
  },
  {
    method: 'get',
    path: '/health/ready',
    summary: 'All models are loaded and the server is not shutting down',
    answer: 'text/plain',
    problems: ['unavailable'],
    example: 'curl HOST/health/ready',
  },
  {
    method: 'get',
    path: '/metrics',
    summary: 'Prometheus metrics',
    answer: 'text/plain',
    problems: [],
    example: 'curl HOST/metrics',
  },
  {
    method: 'get',
    path: '/v2',
    summary: 'Open Inference Protocol: server metadata',
    answer: schemas.v2Server,
    problems: [],
    example: 'curl HOST/v2',
  },
  {
    method: 'get',
    path: '/v2/health/live',
    summary: 'Open Inference Protocol: the process is up',
    answer: 'text/plain',
    problems: [],
    example: 'curl HOST/v2/health/live',
  },
  {
    method: 'get',
    path: '/v2/health/ready',
    summary: 'Open Inference Protocol: all models are loaded',
    answer: 'text/plain',
    problems: ['unavailable'],
    example: 'curl HOST/v2/health/ready',
  },
  {
    method: 'get',
    path: '/v2/models/{name}',
    summary: "Open Inference Protocol: a model's inputs and outputs",
    description: 'Also as /v2/models/{name}/versions/{version}.',
    answer: schemas.v2Model,
    problems: ['not-found', 'unavailable'],
    example: 'curl HOST/v2/models/sewer',
  },
  {
    method: 'get',
    path: '/v2/models/{name}/ready',
    summary: 'Open Inference Protocol: a model is loaded',
    description: 'Also as /v2/models/{name}/versions/{version}/ready.',
    answer: 'text/plain',
    problems: ['not-found', 'unavailable'],
    example: 'curl HOST/v2/models/sewer/ready',
  },
  {
    method: 'post',
    path: '/v2/models/{name}/infer',
    summary: 'Open Inference Protocol: predict',
    description:
      'One input: `image`, BYTES [N], each a base64 image file; or `pixels`, UINT8 [N, height, width, channels], already decoded. A model of feature vectors takes `features`, FP32 [N, features]. Also as /v2/models/{name}/versions/{version}/infer.',
    body: { 'application/json': schemas.inferRequest },
    answer: schemas.inferResponse,
    problems: ['not-found', ...predicting],
    example: `curl -H 'Content-Type: application/json' HOST/v2/models/sewer/infer \\
  -d '{"inputs": [{"name": "image", "datatype": "BYTES", "shape": [1], "data": ["'$(base64 -w0 photo.jpg)'"]}]}'`,
  },
];

const documents = new Map<boolean, ReturnType<typeof createOpenApi>>();

/** Returns the document at /openapi.json. It is made once: that takes milliseconds, and anyone may ask for it. */
export function openApi(needsToken: boolean) {
  const made = documents.get(needsToken) ?? createOpenApi(needsToken);
  documents.set(needsToken, made);
  return made;
}

function createOpenApi(needsToken: boolean) {
  const components: Record<string, unknown> = {};
  const reference = (schema: z.ZodType) => componentSchema(schema, components);
  const problem = { 'application/problem+json': { schema: reference(schemas.problemDocument) } };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, summary, description, body, answer, problems: kinds, query } of operations) {
    const parameters = [
      ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...Object.entries(query ?? {}).map(([name, text]) => ({
        name,
        in: 'query',
        description: text,
        schema: { type: 'string' },
      })),
    ];
    const statuses = new Map(
      [...kinds, 'internal' as const].map((kind) => [problems[kind].status, problems[kind].title]),
    );
    const content =
      typeof answer === 'string'
        ? { [answer]: { schema: { type: 'string' } } }
        : { 'application/json': { schema: reference(answer) } };
    paths[path] = {
      [method]: {
        summary,
        ...(description !== undefined && { description }),
        ...(parameters.length > 0 && { parameters }),
        ...(body && {
          requestBody: {
            required: true,
            content: Object.fromEntries(
              Object.entries(body).map(([type, schema]) => [
                type,
                schema ? { schema: reference(schema) } : {},
              ]),
            ),
          },
        }),
        responses: {
          200: { description: summary, content },
          ...Object.fromEntries(
            Array.from(statuses, ([status, title]) => [status, { description: title, content: problem }]),
          ),
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'anyclass',
      version: version(),
      description: 'Multi-label predictions for images.',
    },
    ...(needsToken && { security: [{ token: [] }] }),
    paths,
    components: {
      schemas: components,
      ...(needsToken && { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }),
    },
  };
}

/** Converts a schema to JSON Schema and adds its named parts to the components of the document. */
function componentSchema(schema: z.ZodType, components: Record<string, unknown>): unknown {
  const { $schema: _unused, $defs = {}, ...own } = z.toJSONSchema(schema, { io: 'input' });
  const inDocument = (part: unknown): unknown =>
    JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, part] of Object.entries($defs)) components[name] = inDocument(part);
  const id = schema.meta()?.id;
  if (id === undefined) return inDocument(own);
  components[id] ??= inDocument(own);
  return { $ref: `#/components/schemas/${id}` };
}
