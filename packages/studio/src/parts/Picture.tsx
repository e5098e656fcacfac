// An image of a run, with the heat map of a target over it.

import { useState } from 'preact/hooks';
import { notePicture } from '../state/pictures.js';
import { sourceOf } from '../state/server.js';

export interface PictureProps {
  readonly run: string;
  readonly name: string;
  /** Pixels of the square that it is fitted into. */
  readonly side: number;
  /** A class, or `presence`; without, no map. */
  readonly heat?: string | undefined;
}

/**
 * @example
 * <Picture run={run} name={item.name} side={480} heat="presence" />
 */
export function Picture({ run, name, side, heat }: PictureProps) {
  const image = sourceOf('look/image', { run, name, side });
  return (
    <Layers
      image={image}
      onProblem={() => void notePicture(run, image)}
      heat={heat === undefined ? undefined : sourceOf('look/heat', { run, name, target: heat })}
      name={name}
    />
  );
}

/** A picture and a map over it, by their addresses. */
export function Layers(props: {
  readonly image: string;
  readonly heat?: string | undefined;
  readonly name: string;
  readonly onProblem?: () => void;
}) {
  const { image, heat, name, onProblem } = props;
  const [failed, setFailed] = useState<string>();
  const [loaded, setLoaded] = useState<string>();
  const [blank, setBlank] = useState<string>();
  return (
    <span class="picture">
      {failed === image ? (
        <span class="picture-problem small">cannot be read</span>
      ) : (
        <img
          ref={loadedWhileShown}
          src={image}
          alt={name}
          decoding="async"
          draggable={false}
          onError={() => {
            setFailed(image);
            onProblem?.();
          }}
        />
      )}
      {heat !== undefined && failed !== heat && (
        <img
          ref={loadedWhileShown}
          class={`heat ${loaded === heat ? '' : 'loading'}`}
          src={heat}
          alt=""
          onLoad={({ currentTarget }) => {
            setLoaded(heat);
            if (isTransparent(currentTarget)) setBlank(heat);
          }}
          onError={() => setFailed(heat)}
        />
      )}
      {heat !== undefined && blank === heat && <span class="picture-problem small">no evidence for it</span>}
      {heat !== undefined && failed === heat && <span class="picture-problem small">no heat map</span>}
      {heat !== undefined && loaded !== heat && failed !== heat && <span class="picture-wait" />}
    </span>
  );
}

/** A browser goes on loading images that were removed, ahead of those that came into sight since. */
function loadedWhileShown(image: HTMLImageElement | null) {
  return () => image?.removeAttribute('src');
}

/** Whether nothing of a map would be seen: no place speaks for its target. */
function isTransparent(map: HTMLImageElement): boolean {
  const canvas = document.createElement('canvas');
  const side = 24;
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (!context) return false;
  context.drawImage(map, 0, 0, side, side);
  return context.getImageData(0, 0, side, side).data.every((value) => value === 0);
}
