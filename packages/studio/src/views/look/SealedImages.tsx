import { go } from '../../state/address.js';
import { attempt, send } from '../../state/server.js';
import type { LookState } from './items.js';

/** Test images that are asked for while test is sealed: they are shown on request, and that is noted. */
export function SealedImages({ look }: { readonly look: LookState }) {
  const open = () =>
    attempt(async () => {
      await send('test/open', {}, { runs: look.sealed, view: 'look' });
      look.reload();
    });
  return (
    <div class="sealed">
      <p>
        Test is sealed: whoever sees how the model does there can no longer choose a decision without knowing
        it. If you open it, that is noted in the run, and decisions that are saved later are marked.
      </p>
      <p>
        <button type="button" class="button" onClick={() => void open()}>
          Open test
        </button>{' '}
        <button type="button" class="button quiet-button" onClick={() => go({ split: null, image: null })}>
          Back to validation
        </button>
      </p>
    </div>
  );
}
