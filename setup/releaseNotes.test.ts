import { expect, test } from 'vitest';
import { releaseNotes } from './releaseNotes.mjs';

const changelog =
  '# Changelog\n\n## Unreleased\n\n### Data\n- new\n\n## 0.2.0 (2026-11-01)\n- second\n\n## 0.12.0\n- other\n';

test("a version's notes are its section of the changelog", () => {
  expect(releaseNotes(changelog, '0.2.0')).toBe('- second\n');
  expect(releaseNotes(changelog, '0.12.0')).toBe('- other\n');
});

test('a dry run takes what is not released yet; a release needs the section of its version', () => {
  expect(releaseNotes(changelog, '0.3.0', { orUnreleased: true })).toBe('### Data\n- new\n');
  expect(() => releaseNotes(changelog, '0.3.0')).toThrow("no section '## 0.3.0'");
});
