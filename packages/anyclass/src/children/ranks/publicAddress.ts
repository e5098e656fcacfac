import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6 } from 'node:net';

/** Networks that are not reachable from the internet. */
const privateNetworks = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv6');

/**
 * The public address that a name stands for; undefined if it is private, or unknown here.
 *
 * @example
 * await publicAddress('192.168.0.7') // undefined
 */
export async function publicAddress(name: string): Promise<string | undefined> {
  try {
    const { address } = await lookup(name);
    return privateNetworks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ? undefined : address;
  } catch {
    return undefined;
  }
}
