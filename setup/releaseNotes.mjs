import { SetupError } from './shell.mjs';

/**
 * Returns the changelog's section on a version, without its heading.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {{ orUnreleased?: boolean }} [options] `orUnreleased`: take what is not released yet if there is no such section
 */
export function releaseNotes(changelog, version, { orUnreleased = false } = {}) {
  const sections = changelog.split(/^## /m).slice(1);
  const titled = (/** @type {string} */ title) =>
    sections.find((section) => new RegExp(`^\\[?${title.replaceAll('.', '\\.')}\\]?(\\s|$)`).test(section));
  const section = titled(version) ?? (orUnreleased ? titled('Unreleased') : undefined);
  if (section === undefined)
    throw new SetupError(`CHANGELOG.md has no section '## ${version}'; rename 'Unreleased' to it`);
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}
