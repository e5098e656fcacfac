// The grid of images, of which only the visible rows are drawn.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Picture } from '../../parts/Picture.js';
import { VirtualRows } from '../../parts/VirtualRows.js';
import { type LookItem, type LookItems, labelText } from './lookItem.js';

export interface TilesProps {
  readonly run: string;
  readonly items: LookItems;
  /** The index of the chosen image. */
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  /** Told how many images are in a row. */
  readonly onColumns: (columns: number) => void;
  /** The target of heat maps: of the image under the pointer, and of the chosen one if `isHot`. */
  readonly target: string;
  readonly isHot: boolean;
  /** What the model says of an image, and its color; undefined if it is not scored. */
  readonly answerOf: (item: LookItem) => { readonly tone: string; readonly text: string } | undefined;
}

const tile = 132;
const caption = 44;
/** Milliseconds that the pointer stays on an image before its heat map is computed. */
const hoverDelay = 180;

export function Tiles({ run, items, chosen, onChoose, onColumns, target, isHot, answerOf }: TilesProps) {
  const box = useRef<HTMLDivElement>(null);
  const [columns, setColumns] = useState(1);
  const hovered = useHovered();
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      const next = Math.max(1, Math.floor((entry?.contentRect.width ?? tile) / (tile + 6)));
      setColumns(next);
      onColumns(next);
    });
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  return (
    <div class="tiles" ref={box}>
      <VirtualRows
        count={Math.ceil(items.count / columns)}
        height={tile + caption}
        label="Images"
        overscan={2}
        shown={chosen < 0 ? -1 : Math.floor(chosen / columns)}
        keyOf={(i) => String(i)}
      >
        {(row, isPassing) => (
          <div class="tile-row" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
            {Array.from({ length: Math.min(columns, items.count - row * columns) }, (_, i) => {
              const index = row * columns + i;
              const item = items.at(index);
              const isChosen = index === chosen;
              const answer = answerOf(item);
              return (
                <button
                  type="button"
                  key={index}
                  class={`tile ${answer?.tone ?? ''}`}
                  aria-pressed={isChosen}
                  tabIndex={isChosen ? 0 : -1}
                  title={item.name}
                  onClick={() => onChoose(index)}
                  onPointerEnter={() => hovered.enter(item.name)}
                  onPointerLeave={() => hovered.leave()}
                >
                  {isPassing ? (
                    <span class="picture" />
                  ) : (
                    <Picture
                      run={run}
                      name={item.name}
                      side={160}
                      heat={hovered.name === item.name || (isHot && isChosen) ? target : undefined}
                    />
                  )}
                  <small>{item.note ?? labelText(item)}</small>
                  {answer && <small class={`answer ${answer.tone}`}>{answer.text}</small>}
                </button>
              );
            })}
          </div>
        )}
      </VirtualRows>
    </div>
  );
}

/** The image that the pointer has rested on. */
function useHovered() {
  const [name, setName] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    name,
    enter(next: string) {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setName(next), hoverDelay);
    },
    leave() {
      clearTimeout(timer.current);
      setName(undefined);
    },
  };
}
