// Makes the npm package of prebuilt libraries for this platform, ready to publish.
//
//   npm run build:native -- OUT system /opt/libtorch-2.11 /opt/libtorch-2.13
//
// Each libtorch is for the CPU; `system` is the one that setup would find. Users need at least the glibc version of the machine
// that this runs on. Publish it before the other packages, then name it in `optionalDependencies` of anyclass.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { prebuild } from '@anyclass/torch/setup';
import { nativeProjects, prebuiltLibraries } from '../packages/anyclass/dist/setup/nativeProjects.js';
import { root } from './shell.mjs';

const [folder, ...libtorch] = process.argv.slice(2);
if (folder === undefined || libtorch.length === 0) {
  console.error('usage: npm run build:native -- OUT LIBTORCH…');
  process.exit(2);
}
const out = resolve(folder);
mkdirSync(out, { recursive: true });
const libraries = await prebuild({ projects: nativeProjects, libtorch, out, log: console.error });

const name = prebuiltLibraries.packageName;
const versions = [...new Set(libraries.flatMap((library) => library.libtorch?.version ?? []))];
/** @type {{ version: string, license: string, homepage: string, repository: object, bugs: object }} */
const { version, license, homepage, repository, bugs } = JSON.parse(
  readFileSync(join(root, 'packages/anyclass/package.json'), 'utf8'),
);
const manifest = {
  name,
  version,
  description: `The native libraries of anyclass for ${process.platform} on ${process.arch}`,
  license,
  homepage,
  repository,
  bugs,
  os: [process.platform],
  cpu: [process.arch],
  libc: ['glibc'],
  files: ['prebuilt.json', ...libraries.map(({ file }) => file)],
  publishConfig: { access: 'public', provenance: true },
};
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
writeFileSync(
  join(out, 'README.md'),
  `# ${name}

The native libraries of [anyclass](https://www.npmjs.com/package/anyclass) ${version}, built for libtorch ${versions.join(', ')} on the CPU. With this
package and one of these libtorch versions, \`npx anyclass setup\` needs no compiler.
`,
);
console.log(
  `${name} ${version} for libtorch ${versions.join(', ')} in ${out}; to publish: npm publish ${out}`,
);
