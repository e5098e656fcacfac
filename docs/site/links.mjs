import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Links of a built site's own pages that lead to no file or heading; the reference checks its own. */
export function brokenLinks(folder) {
  const pages = readdirSync(folder).filter((name) => name.endsWith('.html'));
  const text = new Map(pages.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  return pages.flatMap((page) =>
    [...text.get(page).matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, to]) => {
      if (/^(https?:|mailto:|data:|#$)/.test(to)) return [];
      const [file, anchor] = to.split('#');
      const target = file === '' ? page : file;
      if (!existsSync(join(folder, dirname(page), decodeURI(target)))) return [`${page}: ${to}`];
      const own = text.get(target);
      const isThere = !anchor || own === undefined || own.includes(`id="${anchor}"`);
      return isThere ? [] : [`${page}: ${to}`];
    }),
  );
}
