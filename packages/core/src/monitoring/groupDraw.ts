import type { Key } from '../labels/distinctKeys.js';
import { groupHash } from '../labels/groups.js';

/** Keeps one item of each group, the one with the smallest hash of group and id, and all items without a group, in order. */
export class GroupDraw<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #chosen = new Map<string, { readonly hash: number; readonly place: number }>();

  add(item: T, { group, id }: { readonly group?: Key | undefined; readonly id: string }): void {
    if (group !== undefined) {
      const name = String(group);
      const hash = groupHash(`${name}\n${id}`);
      const before = this.#chosen.get(name);
      if (before && before.hash <= hash) return;
      if (before) this.#items[before.place] = undefined;
      this.#chosen.set(name, { hash, place: this.#items.length });
    }
    this.#items.push(item);
  }

  items(): T[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
