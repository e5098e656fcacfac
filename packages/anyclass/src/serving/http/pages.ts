// The pages of a server, which need no token: made once, since whoever reaches the server may ask for them thousands of times a second.

import { escaped } from '@anyclass/kit';
import { type ServedPage, servedPage } from '../../web/answers.js';
import { openApi } from '../api/openApi.js';
import type { ServerState } from '../operation/serverState.js';
import { apiPage } from '../pages/apiPage.js';
import { tryPage } from '../pages/tryPage.js';
import { modelCard } from './modelSummaries.js';

export interface Pages {
  readonly openApi: string;
  /** The page to try images: another one once a model has changed. */
  toTry(): ServedPage;
  /** The page about the API, with the server's address as the client knows it in its examples. */
  docs(origin: string): ServedPage;
}

/** Stands for the address in the page about the API, and nowhere else. */
const anyOrigin = 'http://address-of-this-server.invalid';

/**
 * Prepares the pages.
 *
 * @example
 * createPages(state).docs('http://127.0.0.1:8080').html
 */
export function createPages({
  models,
  token,
  settings,
}: Pick<ServerState, 'models' | 'token'> & {
  readonly settings: Pick<ServerState['settings'], 'examples'>;
}): Pages {
  const needsToken = token !== undefined;
  const docs = servedPage(apiPage(anyOrigin, needsToken, models.keys().next().value));
  const around = docs.html
    .toString()
    .split(anyOrigin)
    .map((part) => Buffer.from(part));
  const versions = () =>
    Array.from(models.values(), (served) => (served.isReady ? served.version() : undefined));
  const made = () => ({
    of: versions(),
    page: servedPage(
      tryPage(
        Array.from(models.values(), (served) => modelCard(served, settings.examples)),
        { needsToken },
      ),
    ),
  });
  let last = made();
  return {
    openApi: JSON.stringify(openApi(needsToken)),
    toTry() {
      const now = versions();
      if (now.some((version, i) => version !== last.of[i])) last = made();
      return last.page;
    },
    docs(origin) {
      const own = Buffer.from(escaped(origin));
      return { ...docs, html: Buffer.concat(around.flatMap((part, i) => (i === 0 ? [part] : [own, part]))) };
    },
  };
}
