import { DownloadError } from '@anyclass/files/downloads';
import { expect, test } from 'vitest';
import { toldToUser } from './problems.js';

const endpoint = 'https://huggingface.co';

/** What a user is told about a file that a host refuses. */
function toldAbout(host: string): Promise<unknown> {
  const refuse = () => {
    throw new DownloadError('model.pth: 403', { host, status: 403, headers: new Headers() });
  };
  return toldToUser(refuse, { endpoint }).catch((error: unknown) => error);
}

test('advice fits the host that answered: a token only for the hub', async () => {
  expect(String(await toldAbout('huggingface.co'))).toContain('HF_TOKEN');
  const other = String(await toldAbout('download.example.org'));
  expect(other).toContain('download.example.org');
  expect(other).not.toContain('HF_TOKEN');
});
