// A task for CVAT with tags, and its answers in the format 'CVAT for images 1.1'.
// https://docs.cvat.ai/docs/dataset_management/formats/format-cvat/

import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { SaxesParser } from 'saxes';
import { DataError } from '../errors/dataError.js';
import { reasonOf } from '../errors/reasonOf.js';
import { writeWhole } from '../files/wholeFile.js';
import type { AuditItem } from './auditItems.js';
import { type AuditAnswer, allChoices, chosenAnswer } from './choices.js';
import { imageType } from './imageType.js';

/**
 * Writes a folder for CVAT: the images, named by their ids, and labels.json, which the label editor takes as raw labels.
 *
 * @returns how many images it has
 *
 * @example
 * writeCvatTask(items, classes, 'audit-task')
 * // then: cvat-cli task create audits --labels @audit-task/labels.json local audit-task/images/*
 */
export function writeCvatTask(
  items: readonly AuditItem[],
  classes: readonly string[],
  folder: string,
): number {
  const images = join(folder, 'images');
  mkdirSync(images, { recursive: true });
  let count = 0;
  for (const { id, image } of items) {
    if (image === undefined) continue;
    copyFileSync(image, join(images, `${encodeURIComponent(id)}.${imageType(image).extension}`));
    count++;
  }
  const labels = allChoices(classes).map((name) => ({ name, type: 'tag', attributes: [] }));
  writeWhole(join(folder, 'labels.json'), `${JSON.stringify(labels, null, 1)}\n`);
  return count;
}

/**
 * Reads the tags of CVAT's export 'CVAT for images 1.1'. An image without tags has no answer.
 *
 * @example
 * cvatAnswers('<annotations><image name="3f2a.jpg"><tag label="nothing here"/></image></annotations>', 'annotations.xml')
 */
export function cvatAnswers(xml: string, file: string): Map<string, AuditAnswer> {
  const answers = new Map<string, AuditAnswer>();
  let [root, id] = ['', ''];
  let tags: string[] = [];
  const parser = new SaxesParser();
  const fail = (reason: string): never => {
    throw new DataError(`${file}, line ${parser.line}: ${reason}`);
  };
  parser.on('error', (error) => fail(`not well-formed XML: ${reasonOf(error).replace(/^\d+:\d+: /, '')}`));
  parser.on('doctype', () => fail('a DOCTYPE is not allowed in annotations'));
  parser.on('opentag', ({ name, attributes }) => {
    if (root === '') root = name;
    if (name === 'image') {
      const image = attributes['name'] ?? '';
      [id, tags] = [idOf(image), []];
      if (id === '') fail(`the image '${image}' is not named by an id of the log`);
    }
    if (name === 'tag') tags.push(attributes['label'] ?? '');
  });
  parser.on('closetag', ({ name }) => {
    if (name !== 'image' || tags.length === 0) return;
    const answer = chosenAnswer(tags);
    if (answer === undefined) fail(`${id}: ${tags.join(' and ')} contradict each other`);
    else answers.set(id, answer);
  });
  parser.write(xml).close();
  if (root !== 'annotations') throw new DataError(`${file}: <${root}>; expected CVAT's <annotations>`);
  return answers;
}

/** The id by which an image was named; empty if it was not. */
function idOf(image: string): string {
  try {
    return decodeURIComponent(basename(image, extname(image)));
  } catch {
    return '';
  }
}
