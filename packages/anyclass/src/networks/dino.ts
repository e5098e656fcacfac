// Vision transformers trained without labels. DINOv2: Oquab et al., "DINOv2: Learning Robust Visual Features without Supervision",
// arXiv 2304.07193, with patches of 14 px; with registers: Darcet et al., "Vision Transformers Need Registers", arXiv 2309.16588.
// DINOv3: Siméoni et al., "DINOv3", arXiv 2508.10104, with patches of 16 px and rotary positions; `plus` has gated MLPs.
//
// The class token is the image's vector, as in the authors' linear classifiers; timm averages DINOv3's patches unless asked for
// `global_pool='token'`. DINOv3's ConvNeXts are in convnext.ts.

import type { Tensor } from '@anyclass/torch';
import type { NetworkDefinition, NetworkFamily, TrunkCost } from './definition.js';
import { layerDecay } from './fineTuning.js';
import { sharedFields } from './optionFields.js';
import { publishedWeights } from './published/published.generated.js';
import { type Renaming, renaming } from './renaming.js';
import { type TransformerShape, transformerStages, VisionTransformer } from './visionTransformer.js';
import { fromHuggingFace, fromTimm, patchSizeOf, resizeTimmPositions, timmNetwork } from './vit.js';

const fields = { patchSize: sharedFields.patchSize, stochasticDepth: sharedFields.stochasticDepth };

type Dinov2Name = 'dinov2-s-14' | 'dinov2-b-14' | 'dinov2-s-14-reg' | 'dinov2-b-14-reg';
type Dinov3Name = 'dinov3-s-16' | 'dinov3-s-plus-16' | 'dinov3-b-16';
type DinoName = Dinov2Name | Dinov3Name;

export const dino: NetworkFamily<DinoName, typeof fields> = {
  'dinov2-s-14': member('dinov2-s-14', {
    parameters: 21_628_800,
    multiplyAdds: 6_123_561_984,
    features: 384,
  }),
  'dinov2-b-14': member('dinov2-b-14', {
    parameters: 85_724_928,
    multiplyAdds: 23_161_227_264,
    features: 768,
  }),
  'dinov2-s-14-reg': member('dinov2-s-14-reg', {
    parameters: 21_629_952,
    multiplyAdds: 6_227_592_192,
    features: 384,
  }),
  'dinov2-b-14-reg': member('dinov2-b-14-reg', {
    parameters: 85_727_232,
    multiplyAdds: 23_539_156_992,
    features: 768,
  }),
  'dinov3-s-16': member('dinov3-s-16', {
    parameters: 21_600_768,
    multiplyAdds: 4_698_104_832,
    features: 384,
  }),
  'dinov3-s-plus-16': member('dinov3-s-plus-16', {
    parameters: 28_697_088,
    multiplyAdds: 6_120_760_320,
    features: 384,
  }),
  'dinov3-b-16': member('dinov3-b-16', {
    parameters: 85_668_864,
    multiplyAdds: 17_932_142_592,
    features: 768,
  }),
};

function shapeOf(name: DinoName): TransformerShape {
  const size = name.includes('-s-') ? { width: 384, heads: 6 } : { width: 768, heads: 12 };
  const base = { ...size, layerScale: 1e-5 };
  if (name.startsWith('dinov3')) {
    const mlp = name.includes('-plus-') ? 'swiglu' : 'gelu';
    return { ...base, positions: 'rotary', registers: 4, mlp, eps: 1e-5 };
  }
  return name.endsWith('-reg')
    ? { ...base, positions: 'patches', registers: 4, mlp: 'gelu', eps: 1e-6 }
    : { ...base, positions: 'all', registers: 0, mlp: 'gelu', eps: 1e-6 };
}

function member(name: DinoName, trunk: TrunkCost): NetworkDefinition<typeof fields> {
  const isThird = name.startsWith('dinov3');
  const size = name.includes('-s-') ? 'small' : 'base';
  return {
    paper: isThird ? '2508.10104' : '2304.07193',
    trunk,
    stride: ({ patchSize }) => patchSize,
    sizes: ({ patchSize }) => ({ multipleOf: patchSize, least: patchSize, isTied: true }),
    headBias: true,
    options: fields,
    defaults: { patchSize: isThird ? 16 : 14, stochasticDepth: 0 },
    build: (options) => new VisionTransformer(name, options, shapeOf(name)),
    stages: transformerStages,
    // Features learned without labels are the last to change.
    fineTuning: { trunkRate: 0.05, layerRate: layerDecay(0.75), frozenEpochs: 2 },
    weights: {
      published: publishedWeights[name],
      stem: 'conv_proj.weight',
      ...(!isThird && {
        timm: timmNetwork(`vit_${size}_patch14_${name.endsWith('-reg') ? 'reg4_' : ''}dinov2`),
      }),
      conventions: isThird
        ? [
            renaming("timm's DINOv3 names", () => [...fromTimm, ...fromTimmDinov3]),
            renaming("Hugging Face's DINOv3 names", () => fromHuggingFaceDinov3),
          ]
        : [
            { ...renaming("timm's ViT names", () => fromTimm), resize: resizeTimmPositions },
            {
              ...renaming("Hugging Face's DINOv2 names", () => fromHuggingFace),
              resize: resizeTimmPositions,
            },
          ],
      resize: resizeTimmPositions,
      ...(name.endsWith('-reg') && { regroup: withoutClassPosition }),
      ...(isThird && { regroup: withoutKeyBias }),
      isComputed: (entry) => /^encoder\.(co)?sine$|\.in_proj_bias_mask$/.test(entry),
      // Some of DINOv3's files have no such bias; a fresh network's zeros are then right.
      hasDefault: (entry) => entry.endsWith('.in_proj_bias'),
      optionsOf: patchSizeOf,
    },
  };
}

/**
 * The authors and Hugging Face have a position for the class token too, which is always added to it: here, as in timm, it is part of
 * the token.
 */
function withoutClassPosition(
  name: string,
  values: Tensor,
  valuesOf: (name: string) => Tensor | undefined,
): Tensor {
  const positions = name === 'class_token' ? valuesOf('encoder.pos_embedding') : values;
  const [, length = 0] = positions?.shape ?? [];
  if (!positions || Number.isInteger(Math.sqrt(length))) return values;
  if (name === 'class_token') return values.add(positions.narrow(1, 0, 1));
  return name === 'encoder.pos_embedding' ? values.narrow(1, 1, length - 1) : values;
}

/** The authors' files have a bias for keys too, which is masked and may hold anything. */
function withoutKeyBias(name: string, values: Tensor): Tensor {
  if (!name.endsWith('.in_proj_bias')) return values;
  const width = (values.shape[0] ?? 0) / 3;
  const cleared = values.clone();
  cleared.narrow(0, width, width).zero_();
  return cleared;
}

const layer = 'encoder.layers.encoder_layer_';

// Queries and values have biases, keys do not. The authors store biases for all, and number the layers of gated MLPs.
const fromTimmDinov3: Renaming = [
  [/^blocks\.(\d+)\.attn\.q_bias$/, `${layer}$1.self_attention.in_proj_bias#0/3`],
  [/^blocks\.(\d+)\.attn\.v_bias$/, `${layer}$1.self_attention.in_proj_bias#2/3`],
  [/^blocks\.(\d+)\.mlp\.(?:fc1_g|w1)\./, `${layer}$1.mlp.gate_proj.`],
  [/^blocks\.(\d+)\.mlp\.(?:fc1_x|w2)\./, `${layer}$1.mlp.up_proj.`],
  [/^blocks\.(\d+)\.mlp\.(?:fc2|w3)\./, `${layer}$1.mlp.down_proj.`],
];

const stacked: Readonly<Record<string, number>> = { q: 0, k: 1, v: 2 };

const fromHuggingFaceDinov3: Renaming = [
  [/^(?:\w+\.)?embeddings\.cls_token$/, 'class_token'],
  [/^(?:\w+\.)?embeddings\.register_tokens$/, 'register_tokens'],
  [/^(?:\w+\.)?embeddings\.patch_embeddings\./, 'conv_proj.'],
  [/^(?:\w+\.)?norm\./, 'encoder.ln.'],
  [/^(?:[\w.]+\.)?layer\.(\d+)\.norm([12])\./, `${layer}$1.ln_$2.`],
  [
    /^(?:[\w.]+\.)?layer\.(\d+)\.attention\.([qkv])_proj\.(weight|bias)$/,
    (_, block = '', part = '', kind = '') =>
      `${layer}${block}.self_attention.in_proj_${kind}#${stacked[part]}/3`,
  ],
  [/^(?:[\w.]+\.)?layer\.(\d+)\.attention\.o_proj\./, `${layer}$1.self_attention.out_proj.`],
  [/^(?:[\w.]+\.)?layer\.(\d+)\.layer_scale([12])\.lambda1$/, `${layer}$1.ls_$2.gamma`],
  [/^(?:[\w.]+\.)?layer\.(\d+)\.mlp\.(gate|up|down)_proj\./, `${layer}$1.mlp.$2_proj.`],
  // Without gates, up and down are the two layers of an ordinary MLP.
  [/^(?:[\w.]+\.)?layer\.(\d+)\.mlp\.up_proj\./, `${layer}$1.mlp.0.`],
  [/^(?:[\w.]+\.)?layer\.(\d+)\.mlp\.down_proj\./, `${layer}$1.mlp.3.`],
];
