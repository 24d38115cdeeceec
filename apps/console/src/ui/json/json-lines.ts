/** One line of a JSON document as a tree. */
export interface JsonLine {
  /** JSON pointer of the node. A closing line has that of its opening line. */
  readonly pointer: string;
  readonly depth: number;
  readonly key: string | null;
  readonly kind: 'open' | 'close' | 'leaf';
  /** Value of a leaf as JSON, or the bracket. */
  readonly text: string;
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';
  /** Number of members of an object or array. */
  readonly size: number;
  readonly isLast: boolean;
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/** An object or array whose members are being written. */
interface Open {
  readonly entries: readonly (readonly [string | null, unknown])[];
  readonly close: JsonLine;
  at: number;
}

interface Place {
  readonly key: string | null;
  readonly pointer: string;
  readonly depth: number;
  readonly isLast: boolean;
}

/**
 * Converts a value to lines; a collapsed object or array is one line. Not recursive, so that deep
 * documents do not overflow the stack.
 */
export function jsonLines(value: unknown, collapsed: ReadonlySet<string>): readonly JsonLine[] {
  const lines: JsonLine[] = [];
  const stack: Open[] = [];
  const visit = (node: unknown, place: Place): void => {
    const { line, open } = lineOf(node, place, collapsed);
    lines.push(line);
    if (open !== null) stack.push(open);
  };
  visit(value, { key: null, pointer: '', depth: 0, isLast: true });
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const entry = top.entries[top.at];
    if (entry === undefined) {
      lines.push(top.close);
      stack.pop();
      continue;
    }
    const [key, node] = entry;
    const pointer = `${top.close.pointer}/${escaped(key ?? String(top.at))}`;
    top.at += 1;
    visit(node, { key, pointer, depth: top.close.depth + 1, isLast: top.at === top.entries.length });
  }
  return lines;
}

function lineOf(
  node: unknown,
  { key, ...place }: Place,
  collapsed: ReadonlySet<string>,
): { readonly line: JsonLine; readonly open: Open | null } {
  const type = typeOf(node);
  if (type !== 'array' && type !== 'object') {
    return {
      line: { ...place, key, kind: 'leaf', text: JSON.stringify(node) ?? 'null', type, size: 0 },
      open: null,
    };
  }
  const entries = entriesOf(node as Container);
  const [first, last] = type === 'array' ? ['[', ']'] : ['{', '}'];
  const common = { ...place, type, size: entries.length } as const;
  if (entries.length === 0) return { line: { ...common, key, kind: 'leaf', text: first + last }, open: null };
  if (collapsed.has(place.pointer)) {
    return { line: { ...common, key, kind: 'open', text: `${first}…${last}` }, open: null };
  }
  const close: JsonLine = { ...common, key: null, kind: 'close', text: last };
  return { line: { ...common, key, kind: 'open', text: first }, open: { entries, close, at: 0 } };
}

const entriesOf = (node: Container): readonly (readonly [string | null, unknown])[] =>
  Array.isArray(node) ? node.map((one: unknown) => [null, one] as const) : Object.entries(node);

const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');

function typeOf(node: unknown): JsonLine['type'] {
  if (node === null || node === undefined) return 'null';
  if (Array.isArray(node)) return 'array';
  const type = typeof node;
  return type === 'string' || type === 'number' || type === 'boolean'
    ? type
    : type === 'object'
      ? 'object'
      : 'null';
}

/** Returns the value at a JSON pointer; undefined when there is none. */
export function atPointer(value: unknown, pointer: string): unknown {
  let node: unknown = value;
  for (const step of stepsOf(pointer)) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
    node = (node as Record<string, unknown>)[step];
  }
  return node;
}

const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const NAME = /^[A-Za-z_$][\w$]*$/;

/** Formats the path of a node as code: `messages[0].content["x-y"]`. The root is `$`. */
export function pathText(value: unknown, pointer: string): string {
  let path = '';
  let node: unknown = value;
  for (const step of stepsOf(pointer)) {
    if (Array.isArray(node)) path += `[${step}]`;
    else if (NAME.test(step)) path += path === '' ? step : `.${step}`;
    else path += `[${JSON.stringify(step)}]`;
    node = typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[step] : undefined;
  }
  return path === '' ? '$' : path;
}

/** Pointers of the objects and arrays that contain a node. */
export function parentsOf(pointer: string): readonly string[] {
  const steps = pointer.split('/');
  return steps.slice(0, -1).map((_, at) => steps.slice(0, at + 1).join('/'));
}

/** Whether a line contains a text in its key or value. `lower` must be in lower case. */
export const isMatch = (line: JsonLine, lower: string): boolean =>
  line.kind !== 'close' &&
  ((line.key?.toLowerCase().includes(lower) ?? false) ||
    (line.kind === 'leaf' && line.text.toLowerCase().includes(lower)));
