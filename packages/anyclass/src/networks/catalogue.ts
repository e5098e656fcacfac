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
export function isNetworkName(name: string): name is NetworkName {
  return networkNames.some((n) => n === name);
}
