/**
 * What the server of Studio and its page tell each other. The page itself is in `@anyclass/studio/page`, as static files.
 *
 * @packageDocumentation
 */

export type * from './wire/decide.js';
export type * from './wire/look.js';
export type * from './wire/mend.js';
export type * from './wire/runs.js';
export type * from './wire/try.js';
