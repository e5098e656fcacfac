// Try a model: drop an image, see what it says and why.

import { heatScale } from '@anyclass/kit';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Html } from '../../parts/Html.js';
import { percent } from '../../parts/numbers.js';
import { Layers, Picture } from '../../parts/Picture.js';
import { address, go } from '../../state/address.js';
import { useShortcuts } from '../../state/keys.js';
import { chosenRun } from '../../state/runs.js';
import { ask, attempt, sourceOf } from '../../state/server.js';
import type { Background } from '../../wire/look.js';
import type { Neighbors, Tried } from '../../wire/try.js';

export function TryView() {
  const run = chosenRun.value;
  if (!run) {
    const id = address.value.get('run');
    return (
      <p class="quiet empty">{id === null ? 'There are no runs yet.' : `${id} is not there any more.`}</p>
    );
  }
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
        <span>Drop an image here, paste one, or choose a file. It stays on this machine.</span>
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
  const rows = [
    { name: 'presence', probability: presence.probability, threshold: presence.gate },
    ...classes.slice(0, 20),
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
          <ul class="bars small">
            {rows.map((row) => (
              <li key={row.name}>
                <button
                  type="button"
                  class="bar"
                  aria-pressed={target === row.name}
                  disabled={!tried.maps.some((each) => each.target === row.name)}
                  onClick={() => setTarget(target === row.name ? undefined : row.name)}
                >
                  <span class={labels.includes(row.name) ? 'labeled' : ''}>
                    <bdi>{row.name}</bdi>
                  </span>
                  <span class="track">
                    <i
                      style={{ width: `${100 * row.probability}%` }}
                      class={row.threshold !== null && row.probability >= row.threshold ? 'over' : ''}
                    />
                    {row.threshold !== null && (
                      <em style={{ left: `${100 * Math.min(1, row.threshold)}%` }} />
                    )}
                  </span>
                  <span class="number">{percent(row.probability)}</span>
                </button>
              </li>
            ))}
          </ul>
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
  const [now, setNow] = useState<Background<Neighbors>>();
  useEffect(() => {
    const aborted = new AbortController();
    const look = async () => {
      for (;;) {
        const answer = await ask<Background<Neighbors>>('try/neighbors', { run, id }, aborted.signal);
        setNow(answer);
        if (answer.state !== 'working') return;
        await new Promise((next) => setTimeout(next, 600));
      }
    };
    void attempt(look);
    return () => aborted.abort();
  }, [run, id]);
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
      <p class="small quiet">By the cosine of the embeddings, among {now.result.among} images.</p>
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
