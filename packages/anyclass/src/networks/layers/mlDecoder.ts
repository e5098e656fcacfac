// ML-Decoder. Ridnik et al., "ML-Decoder: Scalable and Versatile Classification Head", arXiv 2111.12933.
//
// Fixed queries, at most 100, attend to the cells of the map; each query then decodes a group of classes with a layer of its own,
// so the cost hardly grows with the number of classes. Names as in timm.

import { empty, keep, nn, type Tensor, tidy, zeros } from '@anyclass/torch';
import { LayerNorm } from './layerNorm.js';

const width = 768;
const mostGroups = 100;
const heads = 8;
const hiddenWidth = 2048;
const dropout = 0.1;

/**
 * Maps [batch, inputs, height, width] to logits [batch, classes].
 *
 * @example
 * new MlDecoder(2048, 1000).forward(maps).shape // [batch, 1000], from 100 queries of 10 classes each
 */
export class MlDecoder extends nn.Module {
  readonly embedStandart: nn.Linear;
  readonly queryEmbed: Queries;
  readonly duplicatePooling: nn.Parameter;
  readonly duplicatePoolingBias: nn.Parameter;
  readonly decoder: Decoder;

  constructor(inputs: number, classes: number) {
    super();
    const groups = Math.min(mostGroups, classes);
    this.embedStandart = new nn.Linear(inputs, width);
    this.queryEmbed = new Queries(groups);
    this.duplicatePooling = new nn.Parameter(empty([groups, width, Math.ceil(classes / groups)]));
    nn.init.xavierNormal_(this.duplicatePooling);
    this.duplicatePoolingBias = new nn.Parameter(zeros([classes]));
    this.decoder = new Decoder();
  }

  forward(maps: Tensor): Tensor {
    return tidy(() => {
      const [batch = 0] = maps.shape;
      const [classes = 0] = this.duplicatePoolingBias.shape;
      const cells = this.embedStandart.forward(maps.flatten(2).transpose(1, 2)).relu();
      const [groups = 0] = this.queryEmbed.weight.shape;
      const queries = this.queryEmbed.weight.unsqueeze(0).expand([batch, groups, width]);
      const decoded = this.decoder.forward(queries, cells);
      const logits = decoded.transpose(0, 1).bmm(this.duplicatePooling).transpose(0, 1).reshape([batch, -1]);
      return logits.narrow(1, 0, classes).add(this.duplicatePoolingBias);
    });
  }

  multiplyAdds(input: Tensor): number {
    const [batch = 0, , height = 0, columns = 0] = input.shape;
    const [groups = 0] = this.queryEmbed.weight.shape;
    const cells = height * columns;
    const attention = 2 * groups * width ** 2 + 2 * cells * width ** 2 + 2 * groups * cells * width;
    return batch * (attention + this.duplicatePooling.numel);
  }
}

/** The queries are drawn once and never learned. */
class Queries extends nn.Module {
  readonly weight: Tensor;

  constructor(count: number) {
    super();
    this.weight = keep(nn.init.normal_(empty([count, width])));
  }
}

class Decoder extends nn.Module {
  readonly layers = [new DecoderLayer()];

  forward(queries: Tensor, cells: Tensor): Tensor {
    return this.layers.reduce((x, layer) => layer.attend(x, cells), queries);
  }
}

class DecoderLayer extends nn.Module {
  readonly norm1 = new LayerNorm(width);
  readonly multiheadAttn = new nn.MultiheadAttention(width, heads, { dropout });
  readonly linear1 = new nn.Linear(width, hiddenWidth);
  readonly linear2 = new nn.Linear(hiddenWidth, width);
  readonly norm2 = new LayerNorm(width);
  readonly norm3 = new LayerNorm(width);

  attend(queries: Tensor, cells: Tensor): Tensor {
    return tidy(() => {
      const start = this.norm1.forward(queries.add(this.#dropped(queries)));
      const attended = this.multiheadAttn.forward(start, cells, cells);
      const middle = this.norm2.forward(start.add(this.#dropped(attended)));
      const hidden = this.#dropped(this.linear1.forward(middle).relu());
      return this.norm3.forward(middle.add(this.#dropped(this.linear2.forward(hidden))));
    });
  }

  #dropped(x: Tensor): Tensor {
    return nn.functional.dropout(x, dropout, this.training);
  }
}
