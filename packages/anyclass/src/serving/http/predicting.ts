// Handles a prediction request from arrival to answer: admission, deadline, and clients that disconnect.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredImage } from '../../data/dataset/imageSource.js';
import { Problem } from '../../web/problem.js';
import { checkImages } from '../bodies/jsonImages.js';
import { Cancellation } from '../models/cancellation.js';
import type { FeatureRow, ImageAnswer, ModelVersion } from '../models/modelVersion.js';
import type { ServedModel } from '../models/servedModel.js';
import type { ServerState } from '../operation/serverState.js';
import { type RequestBody, wholeBody } from '../requests/uploads.js';

/** A request and its reply. */
export interface Exchanged {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What a request asks for, known once its body is read. */
export interface Asked {
  readonly model: ServedModel;
  readonly images: readonly (StoredImage | FeatureRow)[];
  /** Whether heat maps are asked for too. */
  readonly explain?: boolean;
}

/** An image's answer, or why it has none. */
export type Outcome = ImageAnswer | Problem;

export interface Answered {
  readonly model: ServedModel;
  readonly version: ModelVersion;
  /** In the order of the images. */
  readonly outcomes: readonly Outcome[];
}

/**
 * Reads the body, predicts the images that `requested` finds in it, and frees the request's place in the
 * queue when nothing of it is in use.
 *
 * @throws Problem if the queue is full, the deadline passed, or there is nothing to predict
 */
export async function answer(
  state: ServerState,
  { request, reply }: Exchanged,
  requested: (body: RequestBody) => Promise<Asked>,
): Promise<Answered> {
  const { admission, limits, metrics, uploads } = state;
  const incoming = request.raw;
  const outgoing = reply.raw;
  const { arrivedAt, logged } = request.exchange;
  checkEncoding(incoming.headers['content-encoding']);
  const declared = incoming.headers['content-length'];
  const ticket = admission.enter(declared === undefined ? 0 : Number(declared));
  const upload = { ticket, limit: limits.bodyBytes };
  const body: RequestBody = {
    whole: () => wholeBody(uploads, incoming, upload),
    parts: (onPart) => uploads.receive(incoming, onPart, upload),
  };
  const cancellation = new Cancellation();
  const deadline = setTimeout(
    () => cancellation.cancel(new Problem('deadline', deadlineText(limits.milliseconds), { retryAfter: 1 })),
    Math.max(0, arrivedAt + limits.milliseconds - performance.now()),
  );
  const onClose = () => cancellation.cancel(new Problem('client-left', 'the client closed the connection'));
  outgoing.once('close', onClose);
  let work: Promise<unknown> = Promise.resolve();
  try {
    const { model, images, explain = false } = await Promise.race([requested(body), canceled(cancellation)]);
    checkImages(images.length, limits.images);
    ticket.setImages(images.length);
    Object.assign(logged, { model: model.name, images: images.length });
    cancellation.throwIfCanceled();
    const version = model.version();
    const outcomes = Promise.all(
      images.map((image) =>
        version.predict(image, cancellation, { explain }).catch((error: unknown) => {
          if (error instanceof Problem) return error;
          throw error;
        }),
      ),
    );
    work = outcomes.catch(() => {});
    const found = await Promise.race([outcomes, canceled(cancellation)]);
    cancellation.throwIfCanceled();
    admission.answered(images.length);
    for (const outcome of found) {
      if (!(outcome instanceof Problem))
        metrics.predicted(model.name, version.model.description.classes, outcome);
    }
    return { model, version, outcomes: found };
  } finally {
    clearTimeout(deadline);
    outgoing.off('close', onClose);
    // Images being decoded for a client that disconnected still take memory.
    void work.then(() => ticket.leave());
  }
}

/** A body that is compressed on its way would be taken for a damaged image or damaged JSON. */
function checkEncoding(encoding = 'identity'): void {
  if (/^(identity)?$/i.test(encoding)) return;
  throw new Problem('wrong-type', `content encoding ${encoding} is not supported; send the body as it is`);
}

function canceled(cancellation: Cancellation): Promise<never> {
  return new Promise((_, reject) => cancellation.onCancel(reject));
}

function deadlineText(milliseconds: number): string {
  return `not answered within ${milliseconds / 1000} s; the server is overloaded`;
}
