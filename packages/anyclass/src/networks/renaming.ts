import type { NamingConvention } from './definition.js';

/** Patterns of another program's names, and what to replace them with to get ours. */
export type Renaming = readonly (readonly [RegExp, string | ((...match: string[]) => string)])[];

/**
 * Makes a naming convention from a table, which is asked for when it is needed, so that it can follow the networks in their
 * file. Names that no pattern matches are unknown to it.
 *
 * @example
 * renaming("timm's ViT names", () => [[/^cls_token$/, 'class_token']]).translate('cls_token') // ['class_token']
 */
export function renaming(title: string, table: () => Renaming): NamingConvention {
  return {
    title,
    translate: (name) =>
      table()
        .filter(([from]) => from.test(name))
        .map(([from, to]) => (typeof to === 'string' ? name.replace(from, to) : name.replace(from, to))),
  };
}
