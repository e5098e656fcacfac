// Installs the browser in which tests open pages. Only `npm test` needs it, and without it those tests are skipped: a failure
// here is reported and does not stop the setup.

import { output, run, SetupError } from './shell.mjs';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export function installChromiumForTests() {
  if (process.env['npm_lifecycle_event'] !== 'test' || process.env['CHROMIUM']) return;
  if (programs.some(isThere)) return;
  if (!isThere('apt-get') || process.getuid?.() !== 0) {
    console.log(
      'setup: Chromium not found: tests that open pages will be skipped (install it, or set CHROMIUM)',
    );
    return;
  }
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  try {
    run('apt-get', ['update', '-q'], quiet);
    run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], quiet);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`setup: ${error.message}: tests that open pages will be skipped`);
  }
}

/** @param {string} program */
function isThere(program) {
  return output('sh', ['-c', `command -v ${program}`]) !== undefined;
}
