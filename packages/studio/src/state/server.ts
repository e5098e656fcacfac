// Questions to the server.

import { notify } from './notices.js';

type Query = Readonly<Record<string, string | number | undefined>>;

function urlOf(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? `/api/${path}` : `/api/${path}?${new URLSearchParams(given)}`;
}

/** The address of something that the browser itself loads, such as an image. */
export function sourceOf(path: string, query: Query = {}): string {
  return urlOf(path, query);
}

/** What the server says about a request that it refuses. */
export class Refused extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Asks for JSON.
 *
 * @example
 * const details = await ask<RunDetails>('run', { run: id });
 */
export async function ask<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return answered(await fetch(urlOf(path, query), signal ? { signal } : {}));
}

/** Asks for bytes: large tables travel as typed arrays. */
export async function askBytes(path: string, query: Query = {}, signal?: AbortSignal): Promise<ArrayBuffer> {
  const answer = await fetch(urlOf(path, query), signal ? { signal } : {});
  if (!answer.ok) throw await refusal(answer);
  return answer.arrayBuffer();
}

/** Asks the server to do something. */
export async function send<Answer>(path: string, query: Query = {}, body?: unknown): Promise<Answer> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  return answered(await fetch(urlOf(path, query), { method: 'POST', ...init }));
}

async function answered<Answer>(answer: Response): Promise<Answer> {
  if (!answer.ok) throw await refusal(answer);
  return answer.json();
}

async function refusal(answer: Response): Promise<Refused> {
  const body: { detail?: string } = await answer.json().catch(() => ({}));
  return new Refused(body.detail ?? `the server answered ${answer.status}`, answer.status);
}

/** What went wrong, as a sentence for the user. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Does something for the user, and tells if it failed. */
export async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    notify(reasonOf(error), { isProblem: true });
  }
}
