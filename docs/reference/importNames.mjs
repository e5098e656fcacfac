// Names modules of the reference as they are imported: `@anyclass/core` and `anyclass/weights` instead of the places of their sources.

import { readFileSync } from 'node:fs';
import { Converter, ReflectionKind } from 'typedoc';

const packages = new URL('../../packages/', import.meta.url);
const names = new Map(
  ['anyclass', 'core', 'files', 'kit', 'torch'].flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, packages), 'utf8'));
    return Object.entries(exports).map(([path, { default: file }]) => {
      const source = file.replace('./dist/', `${folder}/src/`).replace(/(\/index)?\.js$/, '');
      return [source, path === '.' ? name : `${name}${path.slice(1)}`];
    });
  }),
);

export function load({ converter }) {
  converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const name = names.get(reflection.name);
    if (name === undefined) throw new Error(`${reflection.name} is exported by no package`);
    reflection.name = name;
  });
}
