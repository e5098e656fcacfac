import { counted } from '../errors/counted.js';
import type { Quarantined } from '../events/runSummary.js';
import { tableBlock } from '../pages/blocks.js';
import { note, type Section } from '../pages/page.js';

/**
 * The images that could not be read, all of them, for a page; nothing where there are none. They were left out, so that every
 * figure beside is without them.
 *
 * @example
 * unreadableSection([{ row: 3, name: '3.png', reason: 'premature end of JPEG image' }])[0]?.title // '1 unreadable image'
 */
export function unreadableSection(quarantined: readonly Quarantined[]): Section[] {
  if (quarantined.length === 0) return [];
  const table = {
    title: '',
    columns: [{ title: 'image', kind: 'text' } as const, { title: 'reason', kind: 'text' } as const],
    rows: quarantined.map(({ name, reason }) => [name, reason]),
  };
  return [
    {
      name: 'unreadable',
      title: counted(quarantined.length, 'unreadable image'),
      parts: [
        note('Excluded from training and from all metrics here, never replaced by others.'),
        `<details${quarantined.length > 20 ? '' : ' open'}><summary>Names and reasons</summary>${tableBlock({ name: 'unreadable', table })}</details>`,
      ],
    },
  ];
}
