// Download settings from the environment. The names are those of Python's
// huggingface_hub, which shares the cache.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { homeFolder } from '@anyclass/files';

export interface HubSettings {
  /** The hub's address, without a trailing slash. */
  readonly endpoint: string;
  /** Sent only to the endpoint. */
  readonly token: string | undefined;
  /** Folder of hub files, in Python's layout. */
  readonly cache: string;
  /** Folder of files from other servers. */
  readonly addressCache: string;
  /** If true, no socket is opened. */
  readonly isOffline: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from `HF_HOME`, `HF_HUB_CACHE`, `HF_ENDPOINT`, `HF_TOKEN`, `HF_TOKEN_PATH`,
 * `HF_HUB_OFFLINE`, `XDG_CACHE_HOME`, and `ANYCLASS_HOME`.
 *
 * @example
 * hubSettings({ HF_HOME: '/data/hf' }).cache // '/data/hf/hub'
 */
export function hubSettings(environment: Environment = process.env): HubSettings {
  const given = (name: string) => environment[name]?.trim() || undefined;
  const path = (name: string) => expanded(given(name), environment);
  const userCache = path('XDG_CACHE_HOME') ?? join(homedir(), '.cache');
  const home = path('HF_HOME') ?? join(userCache, 'huggingface');
  return {
    endpoint: (given('HF_ENDPOINT') ?? 'https://huggingface.co').replace(/\/+$/, ''),
    token: given('HF_TOKEN') ?? fileText(path('HF_TOKEN_PATH') ?? join(home, 'token')),
    cache: path('HF_HUB_CACHE') ?? join(home, 'hub'),
    addressCache: join(homeFolder(environment), 'weights'),
    isOffline: /^(1|on|yes|true)$/i.test(given('HF_HUB_OFFLINE') ?? ''),
  };
}

/** Expands `~`, `$NAME`, and `${NAME}`, as Python does in these variables. */
function expanded(path: string | undefined, environment: Environment): string | undefined {
  return path
    ?.replace(/^~(?=\/|$)/, homedir())
    .replace(/\$(?:(\w+)|\{(\w+)\})/g, (whole, plain, braced) => environment[plain ?? braced] ?? whole);
}

/** The content of the file that a login in Python leaves; undefined if missing or empty. */
function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
