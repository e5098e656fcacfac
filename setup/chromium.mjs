// The browser that tests open pages in. Only `npm test` asks for it, and without it those tests are skipped: what goes
// wrong here is told and stops nothing.

import { output, run, SetupError } from './shell.mjs';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export function installChromiumForTests() {
  if (process.env['npm_lifecycle_event'] !== 'test' || process.env['CHROMIUM']) return;
  if (programs.some(isThere)) return;
  if (!isThere('apt-get') || process.getuid?.() !== 0) {
    console.log('setup: no Chromium: tests of pages will be skipped (install it, or set CHROMIUM)');
    return;
  }
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  try {
    run('apt-get', ['update', '-q'], quiet);
    run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], quiet);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`setup: ${error.message}: tests of pages will be skipped`);
  }
}

/** @param {string} program */
function isThere(program) {
  return output('sh', ['-c', `command -v ${program}`]) !== undefined;
}
