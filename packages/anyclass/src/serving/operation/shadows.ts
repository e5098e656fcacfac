// Models in the shadow of others: they see the same images and their answers are logged, but no client gets or waits for them.

import type { StoredImage } from '../../data/dataset/imageSource.js';
import { reasonOf } from '../../errors/reasonOf.js';
import { UserError } from '../../errors/userError.js';
import { Cancellation } from '../models/cancellation.js';
import type { FeatureRow, ImageAnswer, ModelVersion } from '../models/modelVersion.js';
import type { ServedModel } from '../models/servedModel.js';
import type { Log } from './log.js';

/** A shadow's answer to an image. */
export interface ShadowAnswer {
  readonly model: string;
  readonly version: ModelVersion;
  readonly answer: ImageAnswer;
}

export interface Shadows {
  /**
   * Asks the shadow of a model, if it has one, and calls `then` with its answers in the order of the images; undefined for an
   * image that it could not answer. While it is too far behind, it is left out, and the answers are all undefined.
   */
  ask(
    model: string,
    images: readonly (StoredImage | FeatureRow)[],
    then: (answers: readonly (ShadowAnswer | undefined)[]) => void,
  ): void;
  /** Waits for the last answers and closes the models. */
  close(): Promise<void>;
}

/**
 * @param models the shadows by the name of the model that they shadow
 * @param most how many images a shadow may be behind
 */
export function createShadows(models: ReadonlyMap<string, ServedModel>, most: number, log: Log): Shadows {
  const pending = new Set<Promise<void>>();
  let behind = 0;
  const answersOf = async (
    shadow: ServedModel,
    images: readonly (StoredImage | FeatureRow)[],
  ): Promise<(ShadowAnswer | undefined)[]> => {
    const version = shadow.version();
    return Promise.all(
      images.map(async (image) => {
        try {
          return { model: shadow.name, version, answer: await version.predict(image, new Cancellation()) };
        } catch {
          // The model that answers reports what is wrong with an image.
          return undefined;
        }
      }),
    );
  };
  return {
    ask(model, images, then) {
      const shadow = models.get(model);
      if (!shadow || behind + images.length > most) {
        then(images.map(() => undefined));
        return;
      }
      behind += images.length;
      const asked = answersOf(shadow, images)
        .catch((error: unknown) => {
          log.warn('the shadow does not answer', { model, reason: reasonOf(error) });
          return images.map(() => undefined);
        })
        .then(then)
        .finally(() => {
          behind -= images.length;
          pending.delete(asked);
        });
      pending.add(asked);
    },
    async close() {
      await Promise.all(pending);
      await Promise.all(Array.from(models.values(), (model) => model.close()));
    },
  };
}

/** Throws unless a shadow has the classes of its model: otherwise one label cannot judge both. */
export function checkShadow(model: ServedModel, shadow: ServedModel): void {
  const classesOf = (served: ServedModel) => served.version().model.description.classes.toSorted().join(', ');
  const [own, other] = [classesOf(model), classesOf(shadow)];
  if (own === other) return;
  throw new UserError(`the shadow of ${model.name} has the classes ${other}; expected ${own}`);
}
