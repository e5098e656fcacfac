import { counted } from '../errors/counted.js';
import type { Quarantined } from '../events/runSummary.js';
import { tableBlock } from '../pages/blocks.js';
import { note, type Section } from '../pages/page.js';

/**
 * Lists all images that could not be read; empty if there are none. They were excluded, so no metric on the
 * page includes them.
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
        note('Excluded from training and from all metrics on this page, and not replaced by other images.'),
        `<details${quarantined.length > 20 ? '' : ' open'}><summary>Names and reasons</summary>${tableBlock({ name: 'unreadable', table })}</details>`,
      ],
    },
  ];
}
