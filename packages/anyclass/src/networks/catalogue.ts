// The networks by name, with figures that can be shown without an engine. A test counts them again on the networks.

export const networkNames = [
  'tresnet-s',
  'tresnet-m',
  'tresnet-l',
  'tresnet-xl',
  'vit-b-16',
  'maxvit-t',
  'maxvit-s',
  'resnet-18',
] as const;

export type NetworkName = (typeof networkNames)[number];

/** A network with one linear layer at its end, at 224 px. */
export interface NetworkFigures {
  /** Its paper on arXiv. */
  readonly paper: string;
  /** Of everything in front of the last layer. */
  readonly trunkParameters: number;
  /** Of one image on its way to the last layer. */
  readonly trunkMultiplyAdds: number;
  /** How many numbers the last layer sees. */
  readonly features: number;
  readonly headBias: boolean;
}

export const networkFigures: Readonly<Record<NetworkName, NetworkFigures>> = {
  'tresnet-s': figures('2003.13630', 3_990_016, 3_251_444_736, 1024),
  'tresnet-m': figures('2003.13630', 29_340_032, 5_734_497_792, 2048),
  'tresnet-l': figures('2003.13630', 53_556_256, 10_875_134_880, 2432),
  'tresnet-xl': figures('2003.13630', 75_779_244, 15_164_407_432, 2656),
  'vit-b-16': figures('2010.11929', 85_798_656, 17_563_060_224, 768),
  'maxvit-t': figures('2204.01697', 30_407_624, 5_557_534_720, 512, false),
  'maxvit-s': figures('2204.01697', 68_158_892, 11_578_404_864, 768, false),
  'resnet-18': figures('1512.03385', 11_176_512, 1_813_561_344, 512),
};

/** What a network with a number of classes takes. */
export interface NetworkCost {
  readonly parameters: number;
  /** Of one image at 224 px; what papers print as FLOPs. */
  readonly multiplyAdds: number;
}

/**
 * Parameters and multiply-adds of a network at 224 px.
 *
 * @example
 * networkCost('tresnet-m', 17) // { parameters: 29374865, multiplyAdds: 5734532608 }
 */
export function networkCost(name: NetworkName, classes: number): NetworkCost {
  const { trunkParameters, trunkMultiplyAdds, features, headBias } = networkFigures[name];
  return {
    parameters: trunkParameters + classes * (features + (headBias ? 1 : 0)),
    multiplyAdds: trunkMultiplyAdds + classes * features,
  };
}

export function isNetworkName(name: string): name is NetworkName {
  return Object.hasOwn(networkFigures, name);
}

function figures(
  paper: string,
  trunkParameters: number,
  trunkMultiplyAdds: number,
  features: number,
  headBias = true,
): NetworkFigures {
  return { paper, trunkParameters, trunkMultiplyAdds, features, headBias };
}
