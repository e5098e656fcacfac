import { shortPercent } from '@anyclass/kit';
import { useState } from 'preact/hooks';
import { copied } from '../../parts/RunActions.js';
import { go } from '../../state/address.js';
import { notify } from '../../state/notices.js';
import { attempt, send } from '../../state/server.js';
import type { DecideSetup, SavedDecision } from '../../wire/decide.js';
import { budgetOf, defaultName } from './budgets.js';
import type { Budget } from './messages.js';

/** Which decision the handles stand beside, and where a new one is saved. */
export function Saving(props: {
  readonly run: string;
  readonly setup: DecideSetup;
  readonly saved: SavedDecision;
  readonly budget: Budget;
  readonly isSaved: boolean;
  readonly onSetup: (setup: DecideSetup) => void;
  readonly onReset: () => void;
}) {
  const { run, setup, saved, budget, isSaved, onSetup, onReset } = props;
  const [given, setGiven] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const name =
    given ??
    defaultName(
      budget,
      setup.saved.map((each) => each.name),
    );
  const command = `${setup.command} --false-alarms ${budget.falseAlarms}${budget.missed === null ? '' : ` --missed ${budget.missed}`}${setup.candidates === 'adaptive' ? ' --candidates adaptive' : ''} --out ${name}.safetensors`;
  const save = () =>
    attempt(async () => {
      setBusy(true);
      try {
        const answer = await send<{ file: string; setup: DecideSetup }>(
          'decisions',
          { run },
          { name, ...budget },
        );
        onSetup(answer.setup);
        setGiven(undefined);
        // The keys of the view work again.
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        go({ saved: name, budget: null, missed: null });
        notify(`Saved as ${answer.file}`);
      } finally {
        setBusy(false);
      }
    });
  return (
    <form
      class="saving"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label>
        <span class="small quiet">beside</span>{' '}
        <select
          aria-label="Saved decision"
          value={saved.name}
          onChange={(event) => go({ saved: event.currentTarget.value, budget: null, missed: null })}
        >
          {setup.saved.map(({ name: each, decision }) => (
            <option key={each} value={each}>
              {each === '' ? 'the decision of the run' : each}, {shortPercent(budgetOf(decision).falseAlarms)}
            </option>
          ))}
        </select>
      </label>
      <span class="spacer" />
      <button type="button" class="button" onClick={onReset} disabled={isSaved}>
        Reset
      </button>
      <button type="button" class="button" onClick={() => copied(command)} title={command}>
        Copy command
      </button>
      <input
        id="decision-name"
        aria-label="Name of the decision"
        value={name}
        pattern="[A-Za-z0-9_.\-]+"
        required
        onInput={(event) => setGiven(event.currentTarget.value)}
      />
      <button type="submit" class="button primary" disabled={isSaved || isBusy}>
        Save decision
      </button>
    </form>
  );
}
