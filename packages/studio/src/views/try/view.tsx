// Try a model: drop an image, see what it says and why.

import { countText, heatScale } from '@anyclass/kit';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useBackground } from '../../parts/background.js';
import { Html } from '../../parts/Html.js';
import { NoRun } from '../../parts/NoRun.js';
import { Layers, Picture } from '../../parts/Picture.js';
import { type ProbabilityBar, ProbabilityBars } from '../../parts/ProbabilityBars.js';
import { go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { chosenRun } from '../../state/runs.js';
import { attempt, sourceOf } from '../../state/server.js';
import type { Neighbors, Tried } from '../../wire/try.js';

const mostClasses = 20;

export function TryView() {
  const run = chosenRun.value;
  if (!run) return <NoRun />;
  if (run.state !== 'finished')
    return <p class="quiet empty">{run.id} has no model yet; it is there when the run is finished.</p>;
  return <Try key={run.id} run={run.id} />;
}

function Try({ run }: { readonly run: string }) {
  const [file, setFile] = useState<{ readonly name: string; readonly tried: Tried | undefined }>();
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (given: File | null | undefined) => {
    if (!given) return;
    setFile({ name: given.name, tried: undefined });
    void attempt(async () => {
      const answer = await fetch(sourceOf('try', { run }), { method: 'POST', body: given });
      const body: Tried & { readonly detail?: string } = await answer.json();
      if (!answer.ok) {
        setFile(undefined);
        throw new Error(body.detail ?? `the server answered ${answer.status}`);
      }
      setFile({ name: given.name, tried: body });
    });
  };
  useEffect(() => {
    const paste = (event: ClipboardEvent) => take(event.clipboardData?.files[0]);
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, [run]);
  useShortcuts([{ key: 'o', text: 'open an image', act: () => input.current?.click() }]);
  return (
    <section class="try-view">
      <h1 class="hidden-text">Try {run}</h1>
      <label
        class={`drop ${isOver ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files[0]);
        }}
      >
        <input
          ref={input}
          type="file"
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
        <b>Drop an image here, paste one, or choose a file</b>
        <span>It stays on this machine, and is not kept.</span>
      </label>
      {file && !file.tried && <p class="quiet">Looking at {file.name}…</p>}
      {file?.tried && <Answer key={file.tried.id} run={run} name={file.name} tried={file.tried} />}
    </section>
  );
}

function Answer({
  run,
  name,
  tried,
}: {
  readonly run: string;
  readonly name: string;
  readonly tried: Tried;
}) {
  const [target, setTarget] = useState<string | undefined>(tried.maps[0]?.target);
  const map = tried.maps.find((each) => each.target === target);
  const { outcome, labels, odd, presence, classes } = tried;
  useShortcuts([
    {
      key: 'h',
      text: 'next heat map',
      act: () => {
        const at = tried.maps.findIndex((each) => each.target === target);
        setTarget(tried.maps[at + 1]?.target);
      },
    },
  ]);
  const bars: ProbabilityBar[] = [
    { target: 'presence', probability: presence.probability, threshold: presence.gate, isStrong: false },
    ...classes.slice(0, mostClasses).map((each) => ({
      target: each.name,
      probability: each.probability,
      threshold: each.threshold,
      isStrong: labels.includes(each.name),
    })),
  ];
  return (
    <>
      <div class="tried">
        <Layers image={tried.image} heat={map?.picture} name={name} />
        <div>
          <h2>
            <b class={`outcome ${outcome}`}>{outcome}</b>:{' '}
            <bdi>{labels.join(', ') || (outcome === 'alarm' ? 'something, no class' : 'nothing here')}</bdi>
          </h2>
          {odd !== null && <p class="warning small">An odd image: {odd}.</p>}
          <ProbabilityBars
            bars={bars}
            shown={target}
            onShow={setTarget}
            hasMap={(name) => tried.maps.some((each) => each.target === name)}
          />
          {map && (
            <>
              <p class="small quiet">
                Heat map of <bdi>{map.target}</bdi>, by {map.method}.
              </p>
              <Html text={heatScale()} />
            </>
          )}
        </div>
      </div>
      <Nearest run={run} id={tried.id} />
    </>
  );
}

function Nearest({ run, id }: { readonly run: string; readonly id: string }) {
  const now = useBackground<Neighbors>('try/neighbors', { run, id });
  if (!now) return null;
  if (now.state === 'failed') return <p class="warning small">No neighbors: {now.reason}</p>;
  if (now.state === 'working')
    return (
      <p class="quiet small">
        Embedding validation images{now.total > 0 && `, ${now.done} of ${now.total}`}…
      </p>
    );
  return (
    <div>
      <h2>Nearest in validation</h2>
      <p class="small quiet">By the cosine of the embeddings, among {countText(now.result.among)} images.</p>
      <ul class="near">
        {now.result.neighbors.map(({ name, similarity }) => (
          <li key={name}>
            <button
              type="button"
              class="tile"
              title={name}
              onClick={() => go({ view: 'look', show: 'all', image: name, class: null, group: null })}
            >
              <Picture run={run} name={name} side={160} />
              <small>
                {similarity.toFixed(2)} <bdi>{name}</bdi>
              </small>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
