import { Problem } from '../requests/problem.js';
import type { Answer, Exchange } from './exchange.js';

/** Decoded path parameters, such as that of `:name`. */
export type PathParts = Readonly<Record<string, string>>;

export type Handler = (exchange: Exchange, parts: PathParts) => Answer | Promise<Answer>;

export interface Found {
  /** The route's pattern, such as `/v1/models/:name`. */
  readonly route: string;
  /** @throws Problem if the path does not take this method */
  handlerOf(method: string): Handler;
  readonly parts: PathParts;
}

interface Route {
  readonly route: string;
  readonly pattern: RegExp;
  readonly handlers: Map<string, Handler>;
}

export interface Router {
  add(method: 'GET' | 'POST', route: string, handler: Handler): void;
  find(path: string): Found | undefined;
}

/**
 * Creates a router without routes.
 *
 * @example
 * router.add('GET', '/v1/models/:name', (_, { name }) => json(summaries.get(name)));
 * router.find('/v1/models/sewer')?.parts // { name: 'sewer' }
 */
export function createRouter(): Router {
  const routes: Route[] = [];
  const plain = new Map<string, Route>();

  const found = ({ route, handlers }: Route, parts: PathParts): Found => ({
    route,
    parts,
    handlerOf(method) {
      const handler = handlers.get(method);
      if (!handler) throw new Problem('wrong-method', `${route} takes ${[...handlers.keys()].join(', ')}`);
      return handler;
    },
  });

  return {
    add(method, route, handler) {
      let own = routes.find((other) => other.route === route);
      if (!own) {
        own = { route, pattern: patternOf(route), handlers: new Map() };
        routes.push(own);
        if (!route.includes(':')) plain.set(route, own);
      }
      own.handlers.set(method, handler);
    },
    find(path) {
      const same = plain.get(path);
      if (same) return found(same, {});
      for (const route of routes) {
        const groups = route.pattern.exec(path)?.groups;
        if (groups) return found(route, decoded(groups));
      }
      return undefined;
    },
  };
}

function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

function decoded(groups: Readonly<Record<string, string>>): PathParts {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, part]) => [name, decodeURIComponent(part)]));
  } catch {
    throw new Problem('bad-request', 'the path is not valid percent-encoded UTF-8');
  }
}
