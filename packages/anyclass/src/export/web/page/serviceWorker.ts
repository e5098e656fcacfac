// Caches every file that the page loads and responds from the cache, so that the page needs no network after
// the first visit. Each export has its own version, and with it a new cache.

/** Set when the page is built: a hash of everything in the folder, and the files to cache at once. */
declare const __VERSION__: string;
declare const __PAGE_FILES__: readonly string[];

// Declared here because TypeScript's types describe either pages or workers, and the other files are for a
// page.
interface LifecycleEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends LifecycleEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
declare const clients: { claim(): Promise<void> };
declare function skipWaiting(): Promise<void>;
declare function addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
declare function addEventListener(
  type: 'install' | 'activate',
  listener: (event: LifecycleEvent) => void,
): void;

const prefix = 'anyclass ';
const store = `${prefix}${location.pathname} ${__VERSION__}`;

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(activate()));
addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const isOwn = url.startsWith(new URL('./', location.href).href);
  if (method === 'GET' && isOwn) event.respondWith(answer(event.request));
});

async function install(): Promise<void> {
  const cache = await caches.open(store);
  await cache.addAll(__PAGE_FILES__.map((file) => new Request(file, { cache: 'no-cache' })));
  await skipWaiting();
}

async function activate(): Promise<void> {
  const mine = `${prefix}${location.pathname} `;
  const old = (await caches.keys()).filter((name) => name.startsWith(mine) && name !== store);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(store);
  const stored = await cache.match(request, { ignoreSearch: true });
  if (stored) return isolated(stored);
  const response = await fetch(request, { cache: 'no-cache' });
  if (response.status === 200) await cache.put(request, response.clone());
  return isolated(response);
}

/**
 * Adds the headers that isolate the page, which lets it use several threads; static hosts cannot be relied on
 * to send them.
 */
function isolated(response: Response): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(response.body, { status, statusText, headers });
}
