// The API documentation: every endpoint with its answers, problems and a command line to try, and the schemas
// behind them.

import { command, escaped, note } from '@anyclass/kit';
import { page } from '../../pages/page.js';
import { problems } from '../../web/problem.js';
import { type Operation, openApi, operations } from '../api/openApi.js';

/**
 * Returns the page as HTML.
 *
 * @param host the server's address, for the examples
 * @param model the name of a served model, for the examples
 *
 * @example
 * apiPage('http://127.0.0.1:8080', false)
 */
export function apiPage(host: string, needsToken: boolean, model = 'sewer'): string {
  const { paths, components } = openApi(needsToken);
  return page({
    kind: 'anyclass serve',
    name: 'API',
    style,
    head: [
      `<div class="verdict"><div><h1>HTTP API</h1><p class="quiet prose"><a href="./">Try an image</a> on this server, or read the <a href="openapi.json">OpenAPI 3.1 document</a>.</p></div></div>`,
      ...(needsToken
        ? [note('Send the header Authorization: Bearer TOKEN. Health checks and pages need no token.')]
        : []),
    ],
    sections: [
      {
        name: 'endpoints',
        title: 'Endpoints',
        parts: operations.map((operation) => operationPart(operation, { host, model }, paths)),
      },
      {
        name: 'problems',
        title: 'Problems',
        parts: [
          note(
            'Errors are application/problem+json (RFC 9457); their type links here. Every response carries an X-Request-Id that also appears in the log.',
          ),
          `<div class="scroll"><table><thead><tr><th class="right">Status</th><th class="left">Type</th><th class="left">Title</th></tr></thead><tbody>${Object.entries(
            problems,
          )
            .map(
              ([kind, { status, title }]) =>
                `<tr id="problem-${kind}"><td class="right">${status}</td><td class="left"><code>${kind}</code></td><td class="left long">${escaped(title)}</td></tr>`,
            )
            .join('')}</tbody></table></div>`,
        ],
      },
      {
        name: 'schemas',
        title: 'Schemas',
        parts: Object.entries(components.schemas).map(
          ([name, schema]) =>
            `<details id="schema-${name}"><summary><code>${escaped(name)}</code></summary>${json(schema)}</details>`,
        ),
      },
    ],
  });
}

const style = `
.operation { padding: var(--s4) 0; } .operation + .operation { margin-top: 0; border-top: 1px solid var(--rule); } .operation .command { margin: 0; }
.operation h3 { margin: 0; font: 600 15px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.operation h3 span { color: var(--accent); margin-right: 8px; }
.operation p { margin: 4px 0; max-width: 80ch; }
.operation a, .note a { text-decoration: underline; }
.operation ul { margin: 8px 0; padding-left: 18px; font-size: var(--text-s); } .operation details { font-size: var(--text-s); border: 0; }
details { margin: 8px 0; } summary { cursor: pointer; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
tr:target { background: var(--sunk); }
`;

function operationPart(
  operation: Operation,
  { host, model }: { readonly host: string; readonly model: string },
  paths: Readonly<Record<string, unknown>>,
): string {
  const { method, path, summary, description, body, answer, problems: kinds, example, query } = operation;
  const types = Object.entries(body ?? {}).map(([type, schema]) => `${code(type)}${schemaLink(schema)}`);
  const lines = [
    ...Object.entries(query ?? {}).map(([name, text]) => `Query ${code(name)}: ${escaped(text)}`),
    ...(types.length > 0 ? [`Accepts ${types.join(', ')}`] : []),
    `Returns ${typeof answer === 'string' ? code(answer) : `${code('application/json')}${schemaLink(answer)}`}`,
    ...(kinds.length > 0
      ? [`Problems: ${kinds.map((kind) => `<a href="#problem-${kind}">${kind}</a>`).join(', ')}`]
      : []),
  ];
  return `<div class="operation columns two"><div>
<h3><span>${method.toUpperCase()}</span>${escaped(path)}</h3>
<p>${escaped(summary)}.</p>
${description === undefined ? '' : `<p class="note">${withCode(description)}</p>`}
<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>
</div><div>${command(example.replaceAll('HOST', host).replaceAll('sewer', encodeURIComponent(model)))}
<details><summary>OpenAPI</summary>${json(paths[path])}</details></div>
</div>`;
}

function schemaLink(schema: { meta(): { readonly id?: string | undefined } | undefined } | null): string {
  const id = schema?.meta()?.id;
  return id === undefined ? '' : ` (<a href="#schema-${id}">${escaped(id)}</a>)`;
}

/** Text of the OpenAPI document, which is Markdown: words in backticks are code. */
function withCode(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

function json(value: unknown): string {
  return `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
}
