import { address } from '../state/address.js';

/** Instead of a view of a run: there is none, or it was deleted or moved while it was shown. */
export function NoRun() {
  const id = address.value.get('run');
  return <p class="quiet empty">{id === null ? 'There are no runs yet.' : `${id} is not there any more.`}</p>;
}
