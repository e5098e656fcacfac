// Limits on the images and bytes in flight. Requests beyond them are refused before their bodies are read.

import { Problem } from './problem.js';

/** A request's place in the queue. */
export interface Ticket {
  /** Sets the number of images once it is known. @throws Problem if there is no room for that many now */
  setImages(images: number): void;
  /** Frees the place; called once nothing of the request is in use. */
  leave(): void;
}

export interface Admission {
  /** Whether not even one more image can be accepted. */
  readonly isFull: boolean;
  /** Returns the message for a refused client, and the seconds after which it should retry. */
  fullText(): { readonly message: string; readonly retryAfter: number };
  /** Reserves a place for a request with a body of this size. @throws Problem if the server is full */
  enter(bytes: number): Ticket;
  /** Sets the listener that is called whenever a request has left the queue. */
  onRoom(listener: () => void): void;
  /** Counts answered images; their rate determines when a refused client should retry. */
  answered(images: number): void;
  /** Returns the recent rate of answered images. */
  imagesPerSecond(): number;
  readonly images: number;
  readonly bytes: number;
}

/**
 * Creates the queue's bookkeeping for these limits.
 *
 * @example
 * const ticket = admission.enter(contentLength);
 * try { … } finally { ticket.leave(); }
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

  return {
    get isFull() {
      return isFull();
    },
    fullText: () => refusalOf(1),
    enter(size) {
      if (isFull()) refuse(1);
      if (bytes + size > limits.bytes && bytes > 0) {
        const megabytes = (value: number) => `${Math.ceil(value / 1e6)} MB`;
        throw new Problem(
          'queue-full',
          `requests already take ${megabytes(bytes)} of at most ${megabytes(limits.bytes)} in memory; retry in 1 s`,
          { retryAfter: 1 },
        );
      }
      let own = 1;
      let hasLeft = false;
      images += 1;
      bytes += size;
      return {
        setImages(count) {
          if (images - own + count > limits.images) refuse(count);
          images += count - own;
          own = count;
        },
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          images -= own;
          bytes -= size;
          tellRoom();
        },
      };
    },
    onRoom(listener) {
      tellRoom = listener;
    },
    answered: (count) => rate.add(count),
    imagesPerSecond: () => rate.perSecond(),
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
