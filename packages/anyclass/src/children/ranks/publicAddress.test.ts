import { expect, test } from 'vitest';
import { launchMachines } from './machines.js';
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

test.skipIf(process.platform === 'win32').each([
  [
    '203.0.113.7',
    [expect.stringMatching(/^Warning: 203\.0\.113\.7 has the public address .* private network$/)],
  ],
  ['192.168.1.1', []],
])('ranks that would meet at %s are warned about if it is public', async (first, notes) => {
  const said: string[] = [];
  const { signal } = new AbortController();
  const outcome = await launchMachines({
    work: { kind: 'train', run: { resume: 'runs/none' }, json: false },
    isDebugging: false,
    machines: [first, 'node2'],
    processes: 1,
    remoteShell: 'false',
    restarts: 0,
    note: (text) => said.push(text),
    signal,
    kill: signal,
  });
  expect(outcome.kind).toBe('failed');
  expect(said).toEqual(notes);
});
