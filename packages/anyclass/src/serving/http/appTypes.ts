import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

export interface AppTypes {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** Milliseconds, of `performance.now()`. */
    arrivedAt: number;
    /** What the log line of the request says beside the usual. */
    logged: Record<string, unknown>;
  };
}

export type AppContext = Context<AppTypes>;
