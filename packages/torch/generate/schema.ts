// Parses libtorch's operator schemas, such as `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.

export interface Schema {
  readonly text: string;
  /** Name with overload: `aten::add.Tensor`. */
  readonly name: string;
  readonly parameters: readonly SchemaParameter[];
  /** Types of the results, without alias marks. */
  readonly results: readonly string[];
}

export interface SchemaParameter {
  /** Without alias marks, list lengths and the question mark: `Tensor`, `int[]`, `ScalarType`. */
  readonly type: string;
  readonly optional: boolean;
  /** Whether one number stands for all elements, as in `int[2]`. */
  readonly broadcasts: boolean;
  readonly name: string;
  readonly defaultText: string | undefined;
  readonly keywordOnly: boolean;
}

export function parseSchema(text: string): Schema {
  const open = text.indexOf('(');
  const arrow = text.lastIndexOf(') -> ');
  const parts = splitTopLevel(text.slice(open + 1, arrow));
  const star = parts.indexOf('*');
  const parameters = parts.flatMap((part, i) =>
    part === '*' ? [] : [parseParameter(part, star !== -1 && i > star)],
  );
  const resultText = withoutAlias(text.slice(arrow + ') -> '.length).trim());
  const results = resultText.startsWith('(') ? splitTopLevel(resultText.slice(1, -1)) : [resultText];
  return {
    text,
    name: text.slice(0, open),
    parameters,
    results: results.filter((result) => result !== '').map((result) => result.split(' ')[0] ?? ''),
  };
}

function parseParameter(text: string, keywordOnly: boolean): SchemaParameter {
  const match = /^(?<type>\S+) (?<name>\w+)(?:=(?<value>.*))?$/.exec(withoutAlias(text));
  const groups = match?.groups;
  if (!groups) throw new Error(`cannot read the parameter '${text}'`);
  const { type = '', name = '', value } = groups;
  const optional = type.endsWith('?');
  const bare = optional ? type.slice(0, -1) : type;
  return {
    type: bare.replace(/\[\d+\]/, '[]').replace('SymInt', 'int'),
    optional,
    broadcasts: /\[\d+\]/.test(bare),
    name,
    defaultText: value,
    keywordOnly,
  };
}

function withoutAlias(text: string): string {
  return text.replace(/\([a-z](?:!| -> \*)?(?:\|[a-z])*\)/g, '');
}

function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    const character = text[i];
    if (character === '(' || character === '[') depth++;
    if (character === ')' || character === ']') depth--;
    if (i === text.length || (character === ',' && depth === 0)) {
      const part = text.slice(start, i).trim();
      if (part !== '') parts.push(part);
      start = i + 1;
    }
  }
  return parts;
}
