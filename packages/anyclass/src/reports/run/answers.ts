// The first screen: is it any good, what is promised, what it finds and misses, and what else could be chosen.

import type { Look } from '@anyclass/kit';
import { foundPanel } from './found.js';
import type { DecisionInUse, JudgedMaterial } from './material.js';
import { promisePanel } from './promise.js';
import { tradeOffPanel } from './tradeOffPanel.js';
import { verdictBlock } from './verdict.js';

export function answers(material: JudgedMaterial, inUse: DecisionInUse, pictures: readonly Look[]): string {
  const missesAt = pictures.some(({ href }) => href === '#missed')
    ? '#missed'
    : pictures.length > 0
      ? '#mistakes'
      : undefined;
  return `<div class="answers">${verdictBlock(material, inUse, missesAt)}
<div class="columns three first">
<div>${promisePanel(material, inUse)}</div>
<div>${foundPanel(material, inUse, pictures)}</div>
<div>${tradeOffPanel(material, inUse)}</div>
</div></div>`;
}
