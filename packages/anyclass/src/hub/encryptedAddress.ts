import { UserError } from '../errors/userError.js';

const localHosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Parses an address and checks that it is encrypted. Servers on this machine may be unencrypted.
 *
 * @example
 * encryptedAddress('http://weights.example/a.pth') // UserError: …: expected an address that starts with https:
 */
export function encryptedAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:') return url;
  if (url?.protocol === 'http:' && localHosts.includes(url.hostname)) return url;
  throw new UserError(`${address}: expected an address that starts with https:`);
}
