// ViT. Dosovitskiy et al., "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale", arXiv 2010.11929, and
// DeiT III: Touvron et al., "DeiT III: Revenge of the ViT", arXiv 2204.07118, which has layer scale, and no position for the class
// token.
//
// Names and initialization as in torchvision's vit_b_16.

import type { Tensor } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import type { ForeignNetwork, NetworkDefinition, NetworkFamily, OptionsOf, TrunkCost } from './definition.js';
import { layerDecay } from './fineTuning.js';
import { resizeGrid, timmGrid } from './layers/resizeGrid.js';
import { sharedFields } from './optionFields.js';
import { publishedWeights } from './published/published.generated.js';
import { type Renaming, renaming } from './renaming.js';
import { type TransformerShape, transformerStages, VisionTransformer } from './visionTransformer.js';

const fields = { patchSize: sharedFields.patchSize, stochasticDepth: sharedFields.stochasticDepth };

type Options = OptionsOf<typeof fields>;

type ViTName = 'vit-s-16' | 'vit-b-16' | 'deit3-s-16' | 'deit3-b-16';

export const vit: NetworkFamily<ViTName, typeof fields> = {
  'vit-s-16': member('vit-s-16', { parameters: 21_665_664, multiplyAdds: 4_598_498_304, features: 384 }),
  'vit-b-16': member('vit-b-16', { parameters: 85_798_656, multiplyAdds: 17_563_060_224, features: 768 }),
  'deit3-s-16': member('deit3-s-16', { parameters: 21_674_496, multiplyAdds: 4_598_498_304, features: 384 }),
  'deit3-b-16': member('deit3-b-16', { parameters: 85_816_320, multiplyAdds: 17_563_060_224, features: 768 }),
};

function shapeOf(name: ViTName): TransformerShape {
  const size = name.includes('-s-') ? { width: 384, heads: 6 } : { width: 768, heads: 12 };
  const base = { ...size, registers: 0, mlp: 'gelu', eps: 1e-6 } as const;
  return name.startsWith('deit3')
    ? { ...base, positions: 'patches', layerScale: 1e-6 }
    : { ...base, positions: 'all' };
}

function member(name: ViTName, trunk: TrunkCost): NetworkDefinition<typeof fields> {
  const size = name.includes('-s-') ? 'small' : 'base';
  return {
    paper: name.startsWith('deit3') ? '2204.07118' : '2010.11929',
    trunk,
    stride: ({ patchSize }) => patchSize,
    sizes: ({ patchSize }) => ({ multipleOf: patchSize, least: patchSize, isTied: true }),
    headBias: true,
    options: fields,
    defaults: { patchSize: 16, stochasticDepth: 0 },
    build: (options) => new VisionTransformer(name, options, shapeOf(name)),
    stages: transformerStages,
    // The decay of most fine-tuned vision transformers since BEiT (Bao et al., arXiv 2106.08254).
    fineTuning: { layerRate: layerDecay(0.75) },
    weights: {
      published: publishedWeights[name],
      stem: 'conv_proj.weight',
      timm: timmNetwork(`${name.startsWith('deit3') ? 'deit3' : 'vit'}_${size}_patch16_224`),
      ...(name === 'vit-b-16' && { torchvision: { architecture: torchvisionArchitecture } }),
      conventions: [
        { title: "torchvision's ViT names of 2022", translate: fromOldTorchvision },
        { ...renaming("timm's ViT names", () => fromTimm), resize: resizeTimmPositions },
        { ...renaming("Hugging Face's ViT names", () => fromHuggingFace), resize: resizeTimmPositions },
      ],
      resize: resizePositions,
      // Some files have no such bias; a fresh network's zeros are then right.
      hasDefault: (entry) => entry.endsWith('.in_proj_bias'),
      optionsOf: patchSizeOf,
    },
  };
}

/** Returns how timm builds and names one of its vision transformers. */
export function timmNetwork(
  architecture: string,
): ForeignNetwork<Options> & { readonly ends: { readonly first_conv: string; readonly classifier: string } } {
  return {
    architecture: ({ inputSize, patchSize }) => ({
      name: architecture,
      arguments: { img_size: inputSize, patch_size: patchSize },
    }),
    rename: toTimm,
    ends: { first_conv: 'patch_embed.proj', classifier: 'head' },
  };
}

// torchvision 0.12 and its published vit_b_16 weights number the MLP's layers from 1.
function fromOldTorchvision(name: string): string[] {
  return [name.replace('.mlp.linear_1.', '.mlp.0.').replace('.mlp.linear_2.', '.mlp.3.')];
}

const layer = 'encoder.layers.encoder_layer_';

/** timm's names, which are also the authors' of DeiT III (`gamma_1`), DINOv2 (`register_tokens`) and DINOv3 (`storage_tokens`). */
export const fromTimm: Renaming = [
  [/^cls_token$/, 'class_token'],
  [/^(?:reg(?:ister)?|storage)_tokens?$/, 'register_tokens'],
  [/^pos_embed$/, 'encoder.pos_embedding'],
  [/^patch_embed\.proj\./, 'conv_proj.'],
  [/^norm\./, 'encoder.ln.'],
  [/^head\./, 'heads.head.'],
  [/^blocks\.(\d+)\.norm([12])\./, `${layer}$1.ln_$2.`],
  [/^blocks\.(\d+)\.attn\.qkv\./, `${layer}$1.self_attention.in_proj_`],
  [/^blocks\.(\d+)\.attn\.proj\./, `${layer}$1.self_attention.out_proj.`],
  [/^blocks\.(\d+)\.mlp\.fc1\./, `${layer}$1.mlp.0.`],
  [/^blocks\.(\d+)\.mlp\.fc2\./, `${layer}$1.mlp.3.`],
  [
    /^blocks\.(\d+)\.(?:ls([12])\.gamma|gamma_([12]))$/,
    (_, block = '', a?: string, b?: string) => `${layer}${block}.ls_${a ?? b}.gamma`,
  ],
];

// Queries, keys and values are stored apart there.
const stacked: Readonly<Record<string, number>> = { query: 0, key: 1, value: 2, q: 0, k: 1, v: 2 };

/** The names of ViTModel, Dinov2Model and Dinov2WithRegistersModel, alone or before a classifier, before and after version 5. */
export const fromHuggingFace: Renaming = [
  [/^(?:\w+\.)?embeddings\.cls_token$/, 'class_token'],
  [/^(?:\w+\.)?embeddings\.register_tokens$/, 'register_tokens'],
  [/^(?:\w+\.)?embeddings\.position_embeddings$/, 'encoder.pos_embedding'],
  [/^(?:\w+\.)?embeddings\.patch_embeddings\.projection\./, 'conv_proj.'],
  [/^(?:\w+\.)?layernorm\./, 'encoder.ln.'],
  [/^classifier\./, 'heads.head.'],
  [/^(?:\w+\.)?(?:encoder\.layer|layers)\.(\d+)\.(?:layernorm_before|norm1)\./, `${layer}$1.ln_1.`],
  [/^(?:\w+\.)?(?:encoder\.layer|layers)\.(\d+)\.(?:layernorm_after|norm2)\./, `${layer}$1.ln_2.`],
  [
    /^(?:\w+\.)?(?:encoder\.layer|layers)\.(\d+)\.attention\.(?:attention\.(query|key|value)|([qkv])_proj)\.(weight|bias)$/,
    (_, block = '', old?: string, part?: string, kind = '') =>
      `${layer}${block}.self_attention.in_proj_${kind}#${stacked[old ?? part ?? '']}/3`,
  ],
  [
    /^(?:\w+\.)?(?:encoder\.layer|layers)\.(\d+)\.attention\.(?:output\.dense|o_proj)\./,
    `${layer}$1.self_attention.out_proj.`,
  ],
  [/^(?:\w+\.)?(?:encoder\.layer|layers)\.(\d+)\.(?:intermediate\.dense|mlp\.fc1)\./, `${layer}$1.mlp.0.`],
  [/^(?:\w+\.)?(?:encoder\.layer|layers)\.(\d+)\.(?:output\.dense|mlp\.fc2)\./, `${layer}$1.mlp.3.`],
  [/^(?:\w+\.)?(?:encoder\.layer|layers)\.(\d+)\.layer_scale([12])\.lambda1$/, `${layer}$1.ls_$2.gamma`],
];

/** Converts our name to timm's; the mapping is one to one. */
function toTimm(name: string): string {
  const inLayer = /^encoder\.layers\.encoder_layer_(\d+)\.(.+)$/.exec(name);
  const [, number, rest = name] = inLayer ?? [];
  const parts = inLayer ? timmLayerParts : timmParts;
  const [from = '', to = ''] = parts.find(([own]) => rest.startsWith(own)) ?? [];
  return `${inLayer ? `blocks.${number}.` : ''}${to}${rest.slice(from.length)}`;
}

const timmParts: readonly (readonly [string, string])[] = [
  ['class_token', 'cls_token'],
  ['register_tokens', 'reg_token'],
  ['encoder.pos_embedding', 'pos_embed'],
  ['conv_proj.', 'patch_embed.proj.'],
  ['encoder.ln.', 'norm.'],
  ['heads.head.', 'head.'],
];

const timmLayerParts: readonly (readonly [string, string])[] = [
  ['ln_', 'norm'],
  ['ls_', 'ls'],
  ['self_attention.in_proj_', 'attn.qkv.'],
  ['self_attention.out_proj.', 'attn.proj.'],
  ['mlp.0.', 'mlp.fc1.'],
  ['mlp.3.', 'mlp.fc2.'],
];

function torchvisionArchitecture({ inputSize, patchSize }: Options) {
  if (patchSize === 16) return { name: 'vit_b_16', arguments: { image_size: inputSize } };
  throw new UserError(`torchvision builds vit_b_16 with patchSize 16; this network has ${patchSize}`);
}

/** The class token's position, if any, comes before those of the patches. */
function resizePositions(name: string, values: Tensor, entry: Tensor): Tensor | undefined {
  if (name !== 'encoder.pos_embedding') return undefined;
  const cells = (entry.shape[1] ?? 0) - 1;
  return resizeGrid(values.select(0, 0), { cells, extra: 1 }).unsqueeze(0);
}

/** Resizes as timm does, which smooths before it makes a grid smaller. */
export function resizeTimmPositions(name: string, values: Tensor, entry: Tensor): Tensor | undefined {
  if (name !== 'encoder.pos_embedding') return undefined;
  const length = entry.shape[1] ?? 0;
  const extra = Number.isInteger(Math.sqrt(length)) ? 0 : 1;
  return timmGrid(values.select(0, 0), { cells: length - extra, extra }).unsqueeze(0);
}

export function patchSizeOf(shapes: ReadonlyMap<string, readonly number[]>): { patchSize?: number } {
  const [, shape] =
    [...shapes].find(([name]) =>
      /(?:^|\.)(?:conv_proj|patch_embed\.proj|projection|patch_embeddings)\.weight$/.test(name),
    ) ?? [];
  return shape?.[2] === undefined ? {} : { patchSize: shape[2] };
}
