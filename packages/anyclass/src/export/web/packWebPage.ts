// Run when the package is packed: bundles the page once, so that an installed package needs no bundler.

import { writeFileSync } from 'node:fs';
import { bundleWebPage, packedPage } from './webPage.js';

writeFileSync(packedPage, JSON.stringify(await bundleWebPage()));
