// How other programs name the weights of these networks. Each convention turns a foreign name into ours, or leaves it.

import type { NetworkName } from '../catalogue.js';

export interface NamingConvention {
  readonly title: string;
  /** Our names that a foreign one may stand for, the likeliest first. */
  readonly translate: (name: string) => readonly string[];
  /** What is to be added to the values of an entry of ours. */
  readonly offset?: (name: string) => number;
}

/** Ours are the published TResNet's and torchvision's names. */
const own: NamingConvention = { title: 'our names', translate: (name) => [name] };

// torchvision 0.12 and its published vit_b_16 weights number the MLP's layers from 1.
const torchvisionVit: NamingConvention = {
  title: "torchvision's ViT names of 2022",
  translate: (name) => [name.replace('.mlp.linear_1.', '.mlp.0.').replace('.mlp.linear_2.', '.mlp.3.')],
};

const timmVitNames: readonly (readonly [RegExp, string])[] = [
  [/^cls_token$/, 'class_token'],
  [/^pos_embed$/, 'encoder.pos_embedding'],
  [/^patch_embed\.proj\./, 'conv_proj.'],
  [/^norm\./, 'encoder.ln.'],
  [/^head\./, 'heads.head.'],
  [/^blocks\.(\d+)\.norm([12])\./, 'encoder.layers.encoder_layer_$1.ln_$2.'],
  [/^blocks\.(\d+)\.attn\.qkv\./, 'encoder.layers.encoder_layer_$1.self_attention.in_proj_'],
  [/^blocks\.(\d+)\.attn\.proj\./, 'encoder.layers.encoder_layer_$1.self_attention.out_proj.'],
  [/^blocks\.(\d+)\.mlp\.fc1\./, 'encoder.layers.encoder_layer_$1.mlp.0.'],
  [/^blocks\.(\d+)\.mlp\.fc2\./, 'encoder.layers.encoder_layer_$1.mlp.3.'],
];

const timmVit: NamingConvention = {
  title: "timm's ViT names",
  translate: (name) =>
    timmVitNames.filter(([from]) => from.test(name)).map(([from, to]) => name.replace(from, to)),
};

// timm keeps |weight| + eps, the scale itself, as the norm's weight; it is made to be so again by taking eps off. A blurred
// convolution stands one level deeper with us.
const timmTresnet: NamingConvention = {
  title: "timm's TResNet names",
  translate: (name) => {
    const [direct, deeper] = ['', '0.'].map((level) =>
      name.replace(/(conv\d|downsample\.\d)\.(conv|bn)\./, (_, layer: string, part: string) => {
        return `${layer}.${level}${part === 'conv' ? 0 : 1}.`;
      }),
    );
    return [direct!, deeper!];
  },
  offset: (name) => (/\.1\.weight$/.test(name) ? -1e-5 : 0),
};

export function conventionsOf(network: NetworkName): readonly NamingConvention[] {
  if (network === 'vit-b-16') return [own, torchvisionVit, timmVit];
  return network.startsWith('tresnet') ? [own, timmTresnet] : [own];
}
