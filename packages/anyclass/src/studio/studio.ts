// The server of `anyclass studio`: on the loopback interface unless told otherwise, for its own host name and origin, and with a token
// that only the printed address has. Run folders are the database; it writes only what the user saves.
//
// How a view is added:
// 1. Routes: a file beside `runRoutes.ts` with a function `addLookRoutes(routes, studio)`, called in `openStudio` below. A route names a run
//    by its id (`runIn(query, studio)`), never by a path; files are read through `realBelow(folders, path)`, errors of the user become
//    answers through `forUser`.
// 2. Types of the answers: in `packages/studio/src/wire`, exported by its `index.ts`.
// 3. The page: a folder in `packages/studio/src/views` with `view.tsx`, and a line in `views/views.ts`. Its state is in the address
//    (`address.value.get('class')`, `go({ class: 'crack' })`), so that a reload, the back button and a copied link show the same.
// docs/studio.md has the whole.

import type { FastifyInstance } from 'fastify';
import { drained, listen, portOf, shownHost } from '../web/listening.js';
import { createWebApp } from '../web/webApp.js';
import { studioAccess } from './access.js';
import { addDecideRoutes } from './decideRoutes.js';
import { embeddings } from './embeddings.js';
import { openFolders } from './folders.js';
import { liveRuns } from './liveRuns.js';
import { addLookRoutes } from './lookRoutes.js';
import { addMendRoutes } from './mendRoutes.js';
import { modelChild } from './modelChild.js';
import { addPage } from './pageFiles.js';
import { pictures } from './pictures.js';
import { openData } from './runData.js';
import { runIndex } from './runIndex.js';
import { addRunRoutes } from './runRoutes.js';
import { scoreTables } from './scoreTables.js';
import type { Studio } from './shared.js';
import { addTryRoutes } from './tryRoutes.js';

export interface StudioOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Further host names by which it may be asked, for example behind a proxy. */
  readonly allowHost?: readonly string[];
  /** Told about errors of the server itself. */
  readonly onUnexpected?: (error: unknown) => void;
}

export interface StudioServer extends AsyncDisposable {
  /** The address of the page, with its token. */
  readonly url: string;
  /** The real paths of its folders. */
  readonly folders: readonly string[];
  /** How many runs there are at the start. */
  readonly runs: number;
  close(): Promise<void>;
}

const milliseconds = 30_000;

/**
 * Starts Studio.
 *
 * @throws UserError if a folder does not exist, or the port is in use
 *
 * @example
 * await using studio = await openStudio(['runs']);
 * console.log(studio.url) // http://127.0.0.1:39021/?token=…
 */
export async function openStudio(
  given: readonly string[],
  options: StudioOptions = {},
): Promise<StudioServer> {
  const { host = '127.0.0.1', port: asked = 0, allowHost = [], onUnexpected = () => {} } = options;
  const folders = openFolders(given);
  const index = runIndex(folders);
  await index.search();
  const live = liveRuns(index, onUnexpected);
  let port = asked;
  const access = studioAccess(() => port);
  const { routes, answer } = await createWebApp({
    access: {
      host,
      allowHost,
      allowOrigin: [],
      token: undefined,
      isPublic: () => false,
      isOpen: () => false,
    },
    isDraining: () => false,
    onAnswered: () => {},
    onUnexpected,
  });
  access.guard(routes);
  const data = openData(folders);
  const tables = scoreTables(folders);
  const child = modelChild();
  addViews(routes, {
    folders,
    index,
    live,
    tables,
    embeddings: embeddings(tables, folders),
    data,
    child,
    pictures: pictures(data, child),
  });
  await routes.ready();
  const server = await listen(
    (incoming, outgoing) => answer({ incoming, outgoing, arrivedAt: performance.now() }),
    { host, port, milliseconds },
  );
  port = portOf(server, asked);
  const close = async () => {
    live.close();
    child.close();
    await drained(server, { drain: 0, timeout: 0 });
    await data.close();
  };
  return {
    url: `http://${shownHost(host)}:${port}/${access.query}`,
    folders: folders.map(({ path }) => path),
    runs: index.list().rows.length,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function addViews(routes: FastifyInstance, studio: Studio): void {
  addPage(routes);
  addRunRoutes(routes, studio);
  addDecideRoutes(routes, studio);
  addLookRoutes(routes, studio);
  addMendRoutes(routes, studio);
  addTryRoutes(routes, studio);
}
