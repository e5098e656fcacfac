// The requests and responses of the API: these schemas check requests, and the API's description is generated
// from them.

import { OUTCOMES } from '@anyclass/core';
import { z } from 'zod';

/** Text that is returned or logged. */
const shortText = z.string().max(1000);

const base64Image = z
  .string()
  .min(1)
  .describe('a base64 image, optionally with a `data:image/…;base64,` prefix');

const jsonImage = z.union([
  base64Image,
  z.object({
    name: shortText.optional().describe('returned with the prediction'),
    group: shortText.min(1).optional().describe('its patient, pipe or other group, if not that of all'),
    data: base64Image,
  }),
]);

const feature = z.number().nullable();

const featureRow = z
  .union([z.array(feature).min(1), z.record(z.string(), feature)])
  .describe('features by name, or in the order of training; null for a missing one');

export const predictRequest = z
  .object({
    model: shortText.optional().describe('the model; required only if several are served'),
    group: shortText
      .min(1)
      .optional()
      .describe('the patient, pipe or other group that the images belong to; it gets an answer of its own'),
    image: jsonImage.optional(),
    images: z.array(jsonImage).min(1).optional(),
    row: featureRow.optional(),
    rows: z.array(featureRow).min(1).optional(),
  })
  .meta({
    id: 'PredictRequest',
    description: 'One image or a list; for a model of feature vectors, one row or a list.',
  });

export type PredictRequest = z.output<typeof predictRequest>;

const byClass = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

const explanation = z
  .object({
    class: z.string().nullable().describe('null for presence, which the gate compares'),
    method: z.string().describe('cam, grad-cam or tokens'),
    unit: z.string().describe('what the values are'),
    rows: z.int(),
    columns: z.int(),
    peak: z.number().describe('the largest value'),
    values: z
      .array(z.number())
      .describe('evidence for the class in each cell, row by row from the top left; at least 0'),
  })
  .meta({ id: 'Explanation' });

export type Explanation = z.output<typeof explanation>;

const prediction = z
  .object({
    name: z.string().describe('file name, name given in JSON, or position'),
    labels: z.array(z.string()).describe('predicted classes; none means negative'),
    outcome: z
      .enum(OUTCOMES)
      .describe(
        'clear, review or alarm; review only if the decision limits missed positives too, or if the image is odd',
      ),
    odd: z
      .string()
      .optional()
      .describe(
        "why the model's guard calls the image odd; it is then not cleared. Omitted for usual images",
      ),
    isNegative: z.boolean(),
    probabilities: byClass(z.number()).describe('per class, calibrated'),
    presence: z
      .object({ probability: z.number(), gate: z.number(), passes: z.boolean() })
      .describe('the probability that any class is present, and the lowest that passes the gate'),
    thresholds: byClass(z.number().nullable()).describe(
      'lowest probability at which a class is predicted if the image passes the gate; null for never',
    ),
    seen: z
      .string()
      .optional()
      .describe(
        'with ?explain=1: the image as the model saw it, a data URL; 16-bit images and scans by its window',
      ),
    explanations: z
      .array(explanation)
      .optional()
      .describe('with ?explain=1: heat maps of presence and the predicted classes, or the most probable one'),
  })
  .meta({ id: 'Prediction' });

const failure = z
  .object({
    name: z.string(),
    failure: z.string().describe('why this image has no prediction'),
  })
  .meta({ id: 'Failure' });

const groupPrediction = z
  .object({
    group: z.string(),
    images: z.int().describe('how many of its images were predicted'),
    unreadable: z.int().describe('how many could not be read; with any, it is never clear'),
    labels: z.array(z.string()).describe('classes that are predicted in any of its images'),
    outcome: z.enum(OUTCOMES).describe('an alarm if any of its images alarms; clear only if all are'),
    isNegative: z.boolean(),
    presence: z.number().describe('the highest of its images'),
    isPromised: z
      .boolean()
      .describe("whether the decision's limits were promised for whole groups, not for single images"),
  })
  .meta({ id: 'GroupPrediction' });

export const predictResponse = z
  .object({
    model: z.string(),
    version: z.string().describe("first characters of the SHA-256 of the model's file"),
    predictions: z.array(z.union([prediction, failure])).describe('in the order of the images'),
    groups: z.array(groupPrediction).optional().describe('if the request names groups'),
  })
  .meta({ id: 'PredictResponse' });

export const modelSummary = z
  .object({
    name: z.string(),
    version: z.string(),
    openedAt: z.string(),
    network: z.string(),
    runtime: z.enum(['libtorch', 'onnxruntime']),
    device: z.string(),
    precision: z.string(),
    classes: z.array(z.string()),
    input: z.union([
      z.object({ width: z.int(), height: z.int(), channels: z.int() }),
      z.object({ features: z.array(z.string()).describe('names, in the order of training') }),
    ]),
    decision: z.object({
      rule: z.string(),
      gate: z.number().nullable().describe('lowest presence probability that passes; null if nothing passes'),
      clear: z
        .number()
        .nullable()
        .describe('presence probability below which an image is clear; null if none is left for review'),
      thresholds: byClass(z.number().nullable()),
      budget: z.record(z.string(), z.unknown()).describe('the limits that it keeps, such as falseAlarms'),
      unit: z.enum(['image', 'group']).describe('what the limits count'),
      promises: z.array(z.string()).describe('what holds on new data, in words; none if nothing is promised'),
      remarks: z.array(z.string()).describe('why something is not promised, or can never be predicted'),
    }),
    calibration: z.string().nullable().describe('temperature, platt, or null'),
    explains: z.boolean().describe('whether heat maps can be asked for'),
    training: z.object({ dataset: z.string(), loss: z.string(), epoch: z.number() }),
  })
  .meta({ id: 'Model' });

export type ModelSummary = z.output<typeof modelSummary>;

export const modelList = z.object({ models: z.array(modelSummary) }).meta({ id: 'Models' });

export const problemDocument = z
  .object({
    type: z.string().describe('link to the explanation'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('what went wrong'),
    requestId: z.string(),
    error: z.string().describe('same as detail, for clients of the Open Inference Protocol'),
  })
  .meta({ id: 'Problem', description: 'An error, as in RFC 9457.' });

const parameters = z.record(z.string(), z.unknown()).optional();

export const inferRequest = z
  .object({
    id: shortText.optional(),
    parameters,
    inputs: z
      .array(
        z.object({
          name: z.string(),
          shape: z.array(z.int().min(0)),
          datatype: z.string(),
          parameters,
          data: z.array(z.unknown()),
        }),
      )
      .min(1),
    outputs: z.array(z.object({ name: z.string(), parameters })).optional(),
  })
  .meta({ id: 'InferRequest', description: 'An inference request of the Open Inference Protocol.' });

export type InferRequest = z.output<typeof inferRequest>;

const tensor = z.object({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.int()),
});

export const inferResponse = z
  .object({
    model_name: z.string(),
    model_version: z.string(),
    id: z.string().optional(),
    outputs: z.array(tensor.extend({ data: z.array(z.number()) })),
  })
  .meta({ id: 'InferResponse' });

export type InferResponse = z.output<typeof inferResponse>;

export const v2Model = z
  .object({
    name: z.string(),
    versions: z.array(z.string()),
    platform: z.string(),
    inputs: z.array(tensor),
    outputs: z.array(tensor),
  })
  .meta({ id: 'InferenceModel' });

export const v2Server = z
  .object({ name: z.string(), version: z.string(), extensions: z.array(z.string()) })
  .meta({ id: 'InferenceServer' });
