// A page to try images: drop one to see its labels, its presence, and the probability and threshold of every
// class.

import { page } from '../../pages/page.js';
import { escaped } from '../../tables/escaped.js';
import { tryScript } from './tryScript.js';

/**
 * Returns the page as HTML.
 *
 * @example
 * tryPage(['sewer'], { needsToken: false })
 */
export function tryPage(models: readonly string[], { needsToken }: { readonly needsToken: boolean }): string {
  const choices = models.map((name) => `<option>${escaped(name)}</option>`).join('');
  const title = models.length === 1 ? `anyclass: ${models[0]}` : 'anyclass';
  return page(
    title,
    [
      `<style>${style}</style>`,
      `<form id="try">
<label id="drop" for="files"><strong>Drop images here</strong><span>or click to choose, or paste</span>
<input id="files" type="file" accept="image/*" multiple></label>
<p class="settings">${
        models.length > 1 ? `<label>Model <select id="model">${choices}</select></label>` : ''
      }${
        needsToken
          ? '<label>Token <input id="token" type="password" autocomplete="off" placeholder="bearer token"></label>'
          : ''
      }</p>
</form>`,
      '<p id="state" role="status" class="note">Images are sent only to this server.</p>',
      '<div id="results"></div>',
      '<p class="note"><a href="docs">API</a> · <a href="openapi.json">OpenAPI</a></p>',
      `<script>${tryScript}</script>`,
    ],
    { isServed: true },
  );
}

const style = `
#drop { display: flex; flex-direction: column; align-items: center; gap: 4px; padding: 34px 16px; border: 2px dashed var(--edge); border-radius: 8px; background: var(--panel); cursor: pointer; text-align: center; margin: 14px 0; }
#drop span { color: var(--faint); } #drop.over, #drop:hover, #drop:focus-within { border-color: var(--accent); }
#drop input { position: absolute; opacity: 0; width: 1px; height: 1px; }
.settings { display: flex; flex-wrap: wrap; gap: 8px 20px; margin: 0; }
.settings select, .settings input { font: inherit; color: var(--ink); background: var(--panel); border: 1px solid var(--edge); border-radius: 4px; padding: 2px 6px; }
.result { display: grid; grid-template-columns: 240px 1fr; gap: 8px 24px; border-top: 1px solid var(--edge); padding: 18px 0; }
.result img { width: 100%; max-height: 240px; object-fit: contain; background: var(--panel); border-radius: 6px; }
.result h2 { margin: 0; border: 0; padding: 0; font-size: 17px; overflow-wrap: anywhere; }
.labels { display: flex; flex-wrap: wrap; gap: 6px; margin: 6px 0 10px; }
.labels span { border-radius: 12px; padding: 1px 10px; border: 1px solid var(--accent); color: var(--accent); font-weight: 600; }
.labels span.negative { border-color: var(--fine); color: var(--fine); }
.bars { display: grid; grid-template-columns: minmax(70px, max-content) 1fr max-content; gap: 4px 10px; align-items: center; font-variant-numeric: tabular-nums; }
.bars .name { overflow-wrap: anywhere; }
.bar { position: relative; height: 14px; background: var(--panel); border-radius: 3px; border: 1px solid var(--edge); }
.bar i { position: absolute; left: 0; top: 0; bottom: 0; background: var(--pale); border-radius: 2px 0 0 2px; }
.predicted .bar i, .bar.predicted i { background: var(--accent); }
.bar b { position: absolute; top: -3px; bottom: -3px; width: 2px; margin-left: -1px; background: var(--ink); }
.name.predicted { font-weight: 700; }
.presence { grid-column: 1 / -1; color: var(--faint); margin: 2px 0 6px; }
.failed { color: var(--warning); overflow-wrap: anywhere; }
details { margin-top: 8px; } summary { cursor: pointer; color: var(--faint); }
@media (max-width: 600px) { .result { grid-template-columns: 1fr; } .result img { max-height: 50vh; } }
`;
