// What the environment says about downloads. The names are those of Python's huggingface_hub, which shares the cache.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { homeFolder } from '@anyclass/torch/builds';

export interface HubSettings {
  /** Where the hub answers, without a slash at its end. */
  readonly endpoint: string;
  /** Shown to the endpoint alone. */
  readonly token: string | undefined;
  /** Files of the hub, in Python's layout. */
  readonly cache: string;
  /** Files of other addresses. */
  readonly addressCache: string;
  /** No socket is opened. */
  readonly isOffline: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings of an environment: `HF_HOME`, `HF_HUB_CACHE`, `HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`, `ANYCLASS_HOME`.
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

/** `~`, `$NAME` and `${NAME}`, which Python replaces in these variables too. */
function expanded(path: string | undefined, environment: Environment): string | undefined {
  return path
    ?.replace(/^~(?=\/|$)/, homedir())
    .replace(/\$(?:(\w+)|\{(\w+)\})/g, (whole, plain, braced) => environment[plain ?? braced] ?? whole);
}

/** Of the file that a login in Python leaves. */
function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
