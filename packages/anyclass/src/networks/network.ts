// The base class of all networks, and the options that all of them take.

import { cat, nn, type Tensor, tidy } from '@anyclass/torch';
import { type HeadName, mapHeads } from './layers/classHead.js';
import { cutTiles, poolTiles, type Tiling, tilePlaces } from './layers/tiles.js';

/** Options that every network takes. */
export interface SharedOptions {
  /** Number of logits. */
  readonly classes: number;
  /** Height and width of the images, or the number of features. Default 224. */
  readonly inputSize: number;
  /** Channels of the images: 3, 1 for gray, or the number of bands. Default 3. */
  readonly channels: number;
  /** What turns features into logits. Default 'linear'. */
  readonly head: HeadName;
  /** Outside training, average the logits of each image and of its mirror image, at twice the cost. Default false. */
  readonly mirror: boolean;
  /** Cut larger images into tiles of the input size, and pool their logits. Default none. */
  readonly tiles?: Tiling | null | undefined;
}

/** Most pixels of the tiles in a pass: 64 tiles of 256 px, whose maps take less than a gigabyte in common networks. */
const passPixels = 2 ** 22;

/**
 * Maps images [batch, channels, height, width] to logits [batch, classes] in two parts: features that still have positions in the
 * image, and a head that pools them. Embeddings, heat maps and other heads attach between the two.
 *
 * @example
 * const features = network.forwardFeatures(images); // resnet-18 at 224 px: [batch, 512, 7, 7]
 * network.pooled(features).shape // [batch, 512], an embedding of each image
 * network.forwardHead(features).equal(network.forward(images)) // true in evaluation
 */
export abstract class Network<Options extends SharedOptions = SharedOptions> extends nn.Module {
  /** Its name in the catalog. */
  readonly name: string;
  readonly options: Options;

  constructor(name: string, options: Options) {
    super();
    this.name = name;
    this.options = options;
    this.tilesAtOnce = Math.max(1, Math.min(256, Math.floor(passPixels / options.inputSize ** 2)));
  }

  /** How many tiles one pass computes outside training, to save memory; of one place at least, for all images of a batch. */
  tilesAtOnce: number;

  /** Height and width of the images that `forward` takes; the input size, unless they are cut into tiles. */
  get imageSize(): number {
    return this.options.tiles?.imageSize ?? this.options.inputSize;
  }

  /** Shape of one instance: channels, height and width of an image, or the number of features. */
  get inputShape(): readonly number[] {
    return [this.options.channels, this.imageSize, this.imageSize];
  }

  forward(images: Tensor): Tensor {
    const { tiles } = this.options;
    return tidy(() =>
      tiles
        ? poolTiles(this.tileLogits(images), tiles.pool)
        : this.logits(images, this.forwardFeatures(images)),
    );
  }

  /** Returns the logits of the tiles of images, [tiles, batch, classes], row by row; of whole images, if they are not cut. */
  tileLogits(images: Tensor): Tensor {
    return tidy(() => this.#ofTiles(images, (tiles) => this.logits(tiles, this.forwardFeatures(tiles))));
  }

  /** Returns one vector per image, [batch, features]; that of an image in tiles is their mean. */
  embedding(images: Tensor): Tensor {
    return tidy(() => this.#ofTiles(images, (tiles) => this.pooled(this.forwardFeatures(tiles))).mean([0]));
  }

  /** Returns logits and embeddings in one pass: [batch, classes] and [batch, features]. */
  logitsAndEmbedding(images: Tensor): [logits: Tensor, embedding: Tensor] {
    const { tiles, classes } = this.options;
    const both = (parts: Tensor): [Tensor, Tensor] => {
      const features = this.forwardFeatures(parts);
      return [this.logits(parts, features), this.pooled(features)];
    };
    if (!tiles) return both(images);
    const rows = this.#ofTiles(images, (parts) => cat(both(parts), 1));
    const width = (rows.shape[2] ?? classes) - classes;
    return [poolTiles(rows.narrow(2, 0, classes), tiles.pool), rows.narrow(2, classes, width).mean([0])];
  }

  /** Computes rows of numbers for tiles, [tiles, batch, numbers]. */
  #ofTiles(images: Tensor, compute: (tiles: Tensor) => Tensor): Tensor {
    const { tiles, inputSize } = this.options;
    const [batch = 0] = images.shape;
    if (!tiles) return compute(images).view([1, batch, -1]);
    const places = tilePlaces(inputSize, tiles);
    const fitting = Math.floor(this.tilesAtOnce / Math.max(1, batch));
    const most = this.training ? places.length : Math.min(places.length, Math.max(1, fitting));
    const rows = Array.from({ length: Math.ceil(places.length / most) }, (_, pass) =>
      tidy(() => compute(cutTiles(images, inputSize, places.slice(pass * most, (pass + 1) * most)))),
    );
    const all = rows.length === 1 ? rows[0]! : cat(rows);
    return all.view([places.length, batch, -1]);
  }

  /** Returns the logits of images whose features are computed already, [batch, classes]. */
  logits(images: Tensor, features: Tensor): Tensor {
    const own = this.forwardHead(features);
    if (!this.options.mirror || this.training) return own;
    return own.add(this.forwardHead(this.forwardFeatures(images.flip([3])))).div(2);
  }

  /**
   * Returns the last feature maps, [batch, channels, height, width]; for a ViT, tokens [batch, tokens, width]; for an MLP, the last
   * hidden layer.
   */
  abstract forwardFeatures(images: Tensor): Tensor;

  /**
   * Returns features as maps, [batch, channels, height, width]. A transformer's first tokens, which have no place in the image, are
   * left out; a feature vector is a map of one cell.
   */
  maps(features: Tensor): Tensor {
    return features;
  }

  /** Returns one vector per image, the input of the class head: [batch, features]. */
  abstract pooled(features: Tensor): Tensor;

  /** Returns the logits of features, [batch, classes]. */
  forwardHead(features: Tensor): Tensor {
    return tidy(() => this.classLayer().forward(this.headInput(features)));
  }

  /** Returns what the class head takes: maps or, for most, one vector per image. */
  protected headInput(features: Tensor): Tensor {
    return mapHeads.includes(this.options.head) ? this.headMaps(features) : this.pooled(features);
  }

  /** Returns the maps for heads that look at cells; what `pooled` does after averaging is done to each cell. */
  protected headMaps(features: Tensor): Tensor {
    return this.maps(features);
  }

  /** The layer that computes the logits, made by `classHead`. */
  protected abstract classLayer(): nn.Layer;

  /** Prefix of the names in the state dict that depend on the classes. */
  abstract readonly headPrefix: string;
}

/**
 * Applies a function of vectors to each cell of maps [batch, channels, height, width].
 *
 * @example
 * onCells(maps, (cells) => norm.forward(cells))
 */
export function onCells(maps: Tensor, change: (cells: Tensor) => Tensor): Tensor {
  return change(maps.permute([0, 2, 3, 1])).permute([0, 3, 1, 2]);
}
