// Tasks for Label Studio, and its answers. https://labelstud.io/guide/tasks, https://labelstud.io/guide/export

import { relative } from 'node:path';
import { z } from 'zod';
import { DataError } from '../errors/dataError.js';
import type { AuditItem } from './auditItems.js';
import { type AuditAnswer, allChoices, chosenAnswer } from './choices.js';

/**
 * Returns tasks as JSON for Label Studio's import. Images are addressed in its local storage, whose root is the folder of
 * images, or below `url`.
 *
 * @example
 * labelStudioTasks(items, { images: 'audited' }) // '[{"data":{"image":"/data/local-files/?d=0c9f…","id":"3f2a"}}]'
 */
export function labelStudioTasks(
  items: readonly AuditItem[],
  { images, url = '/data/local-files/?d=' }: { readonly images: string; readonly url?: string | undefined },
): string {
  const tasks = items.flatMap(({ id, image, name = '', time = '' }) =>
    image === undefined ? [] : [{ data: { image: url + relative(images, image), id, name, time } }],
  );
  return `${JSON.stringify(tasks, null, 1)}\n`;
}

/** Returns the labeling interface of such a project, which Label Studio's settings take as code. */
export function labelStudioInterface(classes: readonly string[]): string {
  const choices = allChoices(classes).map((name) => `    <Choice value="${xmlText(name)}"/>`);
  return `<View>
  <Image name="image" value="$image"/>
  <Choices name="classes" toName="image" choice="multiple">
${choices.join('\n')}
  </Choices>
</View>
`;
}

const choices = z.object({ choices: z.array(z.string()) });
const task = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  data: z.looseObject({ id: z.string() }).optional(),
  annotations: z
    .array(
      z.looseObject({
        was_cancelled: z.boolean().optional(),
        result: z.array(z.looseObject({ value: z.unknown() })),
      }),
    )
    .optional(),
  /** In the short form of the export. */
  classes: z.union([z.string(), choices]).optional(),
});

/**
 * Reads Label Studio's export, JSON or JSON-MIN. Tasks that were skipped or not annotated have no answer; if several people
 * annotated one, all must agree.
 *
 * @example
 * labelStudioAnswers(text, 'export.json').get('3f2a') // { kind: 'negative' }
 */
export function labelStudioAnswers(value: unknown, file: string): Map<string, AuditAnswer> {
  const parsed = z.array(task).safeParse(value);
  if (!parsed.success)
    throw new DataError(`${file}: not an export of Label Studio; expected a list of tasks with data.id`);
  const answers = new Map<string, AuditAnswer>();
  parsed.data.forEach((each, i) => {
    const id = each.data?.id ?? (typeof each.id === 'string' ? each.id : undefined);
    const place = `${file}, task ${i + 1}`;
    if (id === undefined) throw new DataError(`${place}: no id; was it made from another list?`);
    for (const chosen of chosenIn(each)) {
      const answer = chosenAnswer(chosen);
      if (!answer) throw new DataError(`${place}: ${chosen.join(' and ')} contradict each other`);
      const before = answers.get(id);
      if (before && JSON.stringify(before) !== JSON.stringify(answer))
        throw new DataError(`${place}: ${id} has annotations that contradict each other; keep one of them`);
      answers.set(id, answer);
    }
  });
  return answers;
}

function chosenIn({ classes, annotations = [] }: z.output<typeof task>): string[][] {
  if (classes !== undefined) return [typeof classes === 'string' ? [classes] : classes.choices];
  return annotations.flatMap(({ was_cancelled: isSkipped, result }) => {
    const chosen = result.flatMap(({ value }) => choices.safeParse(value).data?.choices ?? []);
    return isSkipped || chosen.length === 0 ? [] : [chosen];
  });
}

/** Escapes a text for an attribute. */
function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
