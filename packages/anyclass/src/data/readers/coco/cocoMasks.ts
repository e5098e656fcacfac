// The boxes around COCO's masks, for annotations without a box: polygons, or run lengths in columns, plain or packed into a text.

/** Left, top, width and height in pixels. */
export type PixelBox = readonly [number, number, number, number];

/**
 * The box around a `segmentation`; undefined if there is none, or if it is not understood.
 *
 * @example
 * boxAround([[10, 20, 30, 20, 30, 60]]) // [10, 20, 20, 40]
 */
export function boxAround(segmentation: unknown): PixelBox | undefined {
  if (Array.isArray(segmentation)) return aroundPolygons(segmentation);
  if (typeof segmentation !== 'object' || segmentation === null) return undefined;
  const { size, counts }: { size?: unknown; counts?: unknown } = segmentation;
  const height = Array.isArray(size) ? size[0] : undefined;
  if (!Number.isInteger(height) || height < 1) return undefined;
  if (typeof counts === 'string') return aroundRuns(unpacked(counts), height);
  return Array.isArray(counts) ? aroundRuns(counts.map(Number), height) : undefined;
}

function aroundPolygons(polygons: readonly unknown[]): PixelBox | undefined {
  const [xs, ys] = [bounds(), bounds()];
  for (const polygon of polygons) {
    if (!Array.isArray(polygon)) return undefined;
    polygon.forEach((value, i) => void (i % 2 === 0 ? xs : ys).add(Number(value), 0));
  }
  return boxOf(xs, ys);
}

/** Runs of background and object in turn, column after column. */
function aroundRuns(runs: readonly number[], height: number): PixelBox | undefined {
  const [xs, ys] = [bounds(), bounds()];
  let at = 0;
  runs.forEach((length, i) => {
    const last = at + length - 1;
    if (i % 2 === 1 && length > 0) {
      const [from, to] = [Math.floor(at / height), Math.floor(last / height)];
      xs.add(from, 1);
      xs.add(to, 1);
      ys.add(from === to ? at % height : 0, 1);
      ys.add(from === to ? last % height : height - 1, 1);
    }
    at += length;
  });
  return boxOf(xs, ys);
}

/** The run lengths of a text of pycocotools: five bits per character, and from the third on, differences to the last but one. */
function unpacked(text: string): number[] {
  const runs: number[] = [];
  for (let at = 0; at < text.length; ) {
    let [value, shift, code] = [0, 0, 0];
    do {
      code = text.charCodeAt(at++) - 48;
      value |= (code & 0x1f) << shift;
      shift += 5;
    } while (code & 0x20 && at < text.length);
    if (code & 0x10 && shift < 32) value |= -1 << shift;
    runs.push(runs.length > 2 ? value + runs.at(-2)! : value);
  }
  return runs;
}

function bounds() {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    add(start: number, length: number) {
      low = Math.min(low, start);
      high = Math.max(high, start + length);
    },
    from: () => low,
    size: () => high - low,
  };
}

function boxOf(xs: ReturnType<typeof bounds>, ys: ReturnType<typeof bounds>): PixelBox | undefined {
  const box = [xs.from(), ys.from(), xs.size(), ys.size()] as const;
  return box.every(Number.isFinite) ? box : undefined;
}
