const longestWait = 5000; // milliseconds; the page works without the service worker

/**
 * Lets the service worker cache what the page loads, so that the page later opens without a network. Returns
 * a sentence for the visitor.
 *
 * @example
 * await startOffline() // 'Works offline from now on.'
 */
export async function startOffline(): Promise<string> {
  if (!('serviceWorker' in navigator)) return 'Not available offline: that needs https or localhost.';
  const { serviceWorker } = navigator;
  try {
    const isControlled = new Promise<void>((done) => {
      if (serviceWorker.controller) done();
      else serviceWorker.addEventListener('controllerchange', () => done(), { once: true });
    });
    await serviceWorker.register('service-worker.js');
    const isInTime = await Promise.race([
      isControlled.then(() => true),
      new Promise<boolean>((done) => setTimeout(() => done(false), longestWait)),
    ]);
    return isInTime ? 'Works offline from now on.' : 'Not available offline yet: reload the page once.';
  } catch {
    return 'Not available offline: the browser refused to store the page.';
  }
}
