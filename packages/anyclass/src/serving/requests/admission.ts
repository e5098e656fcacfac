// Limits on the images and bytes in flight. Requests beyond them are refused before their bodies are read. A
// request takes room only for what has arrived: a slow client keeps nobody else out.

import { Problem } from '../../web/problem.js';

/** A request's part of the limits: none at first. */
export interface Ticket {
  /** Adds bytes of the body as they arrive. @throws Problem if there is no room for them */
  addBytes(bytes: number): void;
  /** Takes places in the queue once the body is there. @throws Problem if there is no room for that many now */
  setImages(images: number): void;
  /** Frees the place; called once nothing of the request is in use. */
  leave(): void;
}

export interface Admission {
  /** Whether not even one more image can be accepted. */
  readonly isFull: boolean;
  /** Returns the message for a refused client, and the seconds after which it should retry. */
  fullText(): { readonly message: string; readonly retryAfter: number };
  /**
   * Lets in a request with a body of this size, without reserving anything for it. @throws Problem if the
   * server is full
   */
  enter(bytes: number): Ticket;
  /** Sets the listener that is called whenever a request has left the queue. */
  onRoom(listener: () => void): void;
  /** Counts answered images; their rate determines when a refused client should retry. */
  answered(images: number): void;
  /** Returns the recent rate of answered images. */
  imagesPerSecond(): number;
  /** How many more images can be accepted. */
  readonly room: number;
  readonly images: number;
  readonly bytes: number;
}

/**
 * Creates the queue's bookkeeping for these limits.
 *
 * @example
 * const ticket = admission.enter(contentLength);
 * try { ticket.addBytes(part.length); … } finally { ticket.leave(); }
 */
export function createAdmission(limits: { readonly images: number; readonly bytes: number }): Admission {
  let images = 0;
  let bytes = 0;
  let tellRoom = () => {};
  const rate = createRate();

  const isFull = () => images + 1 > limits.images;
  const refusalOf = (wanted: number) => {
    const retryAfter = Math.min(60, Math.max(1, Math.ceil(images / Math.max(rate.perSecond(), 1e-6))));
    const more = wanted > 1 ? `, and this request has ${wanted}` : '';
    const message = `${images} of at most ${limits.images} images are in the queue${more}; retry in ${retryAfter} s`;
    return { message, retryAfter };
  };
  const refuse = (wanted: number) => {
    const { message, retryAfter } = refusalOf(wanted);
    throw new Problem('queue-full', message, { retryAfter });
  };

  const refuseBytes = () => {
    const megabytes = (value: number) => `${Math.ceil(value / 1e6)} MB`;
    throw new Problem(
      'queue-full',
      `requests already take ${megabytes(bytes)} of at most ${megabytes(limits.bytes)} in memory; retry in 1 s`,
      { retryAfter: 1 },
    );
  };

  return {
    get isFull() {
      return isFull();
    },
    fullText: () => refusalOf(1),
    enter(size) {
      if (isFull()) refuse(1);
      if (bytes + size > limits.bytes && bytes > 0) refuseBytes();
      let ownImages = 0;
      let ownBytes = 0;
      let hasLeft = false;
      return {
        addBytes(more) {
          // A single request always has room.
          if (bytes + more > limits.bytes && bytes > ownBytes) refuseBytes();
          bytes += more;
          ownBytes += more;
        },
        setImages(count) {
          if (images - ownImages + count > limits.images) refuse(count);
          images += count - ownImages;
          ownImages = count;
        },
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          images -= ownImages;
          bytes -= ownBytes;
          tellRoom();
        },
      };
    },
    onRoom(listener) {
      tellRoom = listener;
    },
    answered: (count) => rate.add(count),
    imagesPerSecond: () => rate.perSecond(),
    get room() {
      return limits.images - images;
    },
    get images() {
      return images;
    },
    get bytes() {
      return bytes;
    },
  };
}

/** Measures events per second over the most recent interval of at least a second. */
function createRate() {
  let perSecond = 0;
  let counted = 0;
  let since = performance.now();
  return {
    add(count: number) {
      counted += count;
      const elapsed = (performance.now() - since) / 1000;
      if (elapsed < 1) return;
      perSecond = counted / elapsed;
      counted = 0;
      since = performance.now();
    },
    perSecond: () => Math.max(perSecond, counted / Math.max(1, (performance.now() - since) / 1000)),
  };
}
