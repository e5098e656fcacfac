import { expect, test } from 'vitest';
import { publicAddress } from './publicAddress.js';

test.each(['127.0.0.1', '10.2.3.4', '172.31.255.1', '192.168.1.1', '::1', 'fd12::1', 'fe80::1'])(
  '%s is private',
  async (address) => {
    expect(await publicAddress(address)).toBeUndefined();
  },
);

test.each(['172.32.0.1', '203.0.113.7', '2001:db8::1'])('%s is public', async (address) => {
  expect(await publicAddress(address)).toBe(address);
});

test('an unknown name is left to those who can resolve it', async () => {
  expect(await publicAddress('no-such-name.invalid')).toBeUndefined();
});
