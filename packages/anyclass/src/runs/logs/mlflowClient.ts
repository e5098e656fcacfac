// The part of MLflow's REST interface that a log of training needs: https://mlflow.org/docs/latest/rest-api.html.

import { createReadStream, statSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';

/** Where a tracking server is, and how to sign in. */
export interface MlflowServer {
  /** Such as http://127.0.0.1:5000, without a slash at its end. */
  readonly address: string;
  readonly experiment: string;
  readonly authorization?: string | undefined;
}

/** Seconds until a server that does not answer counts as absent. */
const patience = 10;

/**
 * Reads MLflow's own environment variables; undefined without an address that REST can reach.
 *
 * @example
 * mlflowServer({ MLFLOW_TRACKING_URI: 'http://127.0.0.1:5000' })?.experiment // 'anyclass'
 */
export function mlflowServer(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): MlflowServer | undefined {
  const { MLFLOW_TRACKING_URI: address = '', MLFLOW_EXPERIMENT_NAME: experiment = 'anyclass' } = environment;
  if (!/^https?:\/\//.test(address)) return undefined;
  const {
    MLFLOW_TRACKING_TOKEN: token,
    MLFLOW_TRACKING_USERNAME: user,
    MLFLOW_TRACKING_PASSWORD: password = '',
  } = environment;
  const authorization =
    token !== undefined
      ? `Bearer ${token}`
      : user !== undefined
        ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
        : undefined;
  return { address: address.replace(/\/+$/, ''), experiment, authorization };
}

/** An answer other than 200. */
export class MlflowError extends Error {
  readonly status: number;
  /** MLflow's own code, such as RESOURCE_DOES_NOT_EXIST. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Calls a function of the interface, such as `runs/create`, and returns its answer.
 *
 * @throws MlflowError, or an error of the connection
 */
export async function callMlflow(
  { address, authorization }: MlflowServer,
  method: 'GET' | 'POST',
  name: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const search = new URLSearchParams();
  if (method === 'GET') for (const [key, value] of Object.entries(values)) search.set(key, String(value));
  const query = method === 'GET' ? `?${search}` : '';
  const answer = await fetch(`${address}/api/2.0/mlflow/${name}${query}`, {
    method,
    headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    ...(method === 'POST' && { body: JSON.stringify(values) }),
    signal: AbortSignal.timeout(1000 * patience),
  });
  const text = await answer.text();
  const content = parsed(text);
  if (answer.ok) return content;
  const { error_code: code = '', message = text.slice(0, 200) } = content;
  throw new MlflowError(answer.status, String(code), `${name}: ${answer.status} ${String(message)}`);
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/**
 * Uploads a file through the server, to the place that it named for a run's artifacts. Throws if the server leaves storing files to its
 * clients.
 */
export async function uploadArtifact(
  { address, authorization }: MlflowServer,
  artifactUri: string,
  file: { readonly path: string; readonly name: string },
): Promise<void> {
  const place = /^mlflow-artifacts:\/(?:\/[^/]*\/)?(.*)$/.exec(artifactUri)?.[1];
  if (place === undefined)
    throw new Error(`the server stores artifacts at ${artifactUri}; start it with --serve-artifacts`);
  const url = new URL(
    `${address}/api/2.0/mlflow-artifacts/artifacts/${place.replace(/^\/+/, '')}/${encodeURIComponent(file.name)}`,
  );
  const send = url.protocol === 'https:' ? secureRequest : plainRequest;
  // Streamed with its length: models are large, and some servers refuse chunks.
  await new Promise<void>((resolve, reject) => {
    const sent = send(
      url,
      {
        method: 'PUT',
        headers: {
          'content-length': statSync(file.path).size,
          'content-type': 'application/octet-stream',
          ...(authorization !== undefined && { authorization }),
        },
        timeout: 1000 * patience,
      },
      (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve()
            : reject(new MlflowError(answer.statusCode ?? 0, '', `${file.name}: ${answer.statusCode}`)),
        );
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', reject);
    const content = createReadStream(file.path);
    content.on('error', (error) => sent.destroy(error));
    content.pipe(sent);
  });
}
