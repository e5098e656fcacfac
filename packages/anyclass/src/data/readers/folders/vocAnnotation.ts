// A Pascal VOC annotation: <annotation> with the image's <size> and one <object> per object, its <name>, its <bndbox>,
// and whether it is <difficult>.

import { SaxesParser } from 'saxes';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { shownPath } from '../../../files/shownPath.js';
import { readText } from '../../tables/textFile.js';
import type { ImageLabels, LabeledObject } from './namedLabels.js';

/**
 * Reads the labels from an annotation. A class whose objects are all difficult is uncertain, as in VOC's own
 * lists, where it counts neither as positive nor as negative.
 *
 * @example
 * vocLabels('<annotation><object><name>cat</name></object></annotation>', 'a.xml').present // Set { 'cat' }
 */
export function vocLabels(xml: string, file: string): ImageLabels {
  const present = new Set<string>();
  const uncertain = new Set<string>();
  let [root, path, text] = ['', '', ''];
  const objects: LabeledObject[] = [];
  const size = { width: Number.NaN, height: Number.NaN };
  let object: { name?: string; difficult?: string } | undefined;
  let box = new Map<string, number>();
  const parser = new SaxesParser();
  const fail = (reason: string): never => {
    throw new DataError(`${file}, line ${parser.line}: ${reason}`);
  };
  parser.on('error', (error) => fail(`not well-formed XML: ${reasonOf(error).replace(/^\d+:\d+: /, '')}`));
  parser.on('doctype', () => fail('a DOCTYPE is not allowed in an annotation'));
  parser.on('opentag', ({ name }) => {
    if (path === '') root = name;
    path += `/${name}`;
    text = '';
    if (path === '/annotation/object') {
      object = {};
      box = new Map();
    }
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('cdata', (piece) => {
    text += piece;
  });
  parser.on('closetag', ({ name }) => {
    // Parts of an object also have names, one level deeper.
    if (object && (path === '/annotation/object/name' || path === '/annotation/object/difficult')) {
      const key = name === 'name' ? 'name' : 'difficult';
      if (object[key] !== undefined) fail(`an object has two <${key}>`);
      object[key] = text.trim();
    }
    if (path === '/annotation/size/width' || path === '/annotation/size/height') {
      size[name === 'width' ? 'width' : 'height'] = Number(text);
    }
    if (path.startsWith('/annotation/object/bndbox/')) box.set(name, Number(text));
    if (object && path === '/annotation/object') {
      const { name: label = '', difficult = '0' } = object;
      if (label === '') fail('an object has no <name>');
      if (difficult !== '0' && difficult !== '1') fail(`<difficult> is '${difficult}'; expected 0 or 1`);
      (difficult === '1' ? uncertain : present).add(label);
      const at = (edge: string) => box.get(edge) ?? 0;
      const [left, top] = [at('xmin'), at('ymin')];
      objects.push({ name: label, left, top, width: at('xmax') - left, height: at('ymax') - top });
      object = undefined;
    }
    path = path.slice(0, path.lastIndexOf('/'));
    text = '';
  });
  parser.write(xml).close();
  if (root !== 'annotation') {
    throw new DataError(`${file}: <${root}>; expected Pascal VOC's <annotation>`);
  }
  const { width, height } = size;
  const shares = objects.map((each) => ({
    ...each,
    left: each.left / width,
    top: each.top / height,
    width: each.width / width,
    height: each.height / height,
  }));
  return { present, uncertain, objects: shares };
}

/** Reads the labels from an annotation file. */
export async function readVocAnnotation(path: string): Promise<ImageLabels> {
  return vocLabels(await readText(path, 16 << 20), shownPath(path));
}
