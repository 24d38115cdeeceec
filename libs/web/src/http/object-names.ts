/** Marks a name that a library would take for a member of every JavaScript object. Of a private use area. */
const MARK = '\uE000';
const OBJECT_NAMES: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
]);

const isTaken = (name: string): boolean => OBJECT_NAMES.has(name) || name.startsWith(MARK);

/** True for an object that JSON has made, and false for a list or an instance of a class. */
const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

function hasTakenNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasTakenNames);
  return Object.entries(value).some(([name, item]) => isTaken(name) || hasTakenNames(item));
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (isPlain(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [rename(name), renamed(item, rename)]),
    );
  for (const [name, item] of Object.entries(value)) Reflect.set(value, name, renamed(item, rename));
  return value;
}

const marked = (name: string): string => (isTaken(name) ? `${MARK}${name}` : name);
const unmarked = (name: string): string => (name.startsWith(MARK) ? name.slice(MARK.length) : name);

/**
 * The value with every `constructor`, `prototype`, `toString` … renamed, at any depth, so that class-transformer and Nest keep
 * these members as the data that they are: both drop them without a word. Null: there is none, and nothing has to be undone.
 */
export const withMarkedNames = (value: unknown): unknown =>
  hasTakenNames(value) ? renamed(value, marked) : null;

/** Undoes `withMarkedNames`. An instance of a class stays that instance. */
export const withPlainNames = (value: unknown): unknown => renamed(value, unmarked);

export const withoutMarks = (text: string): string => text.replaceAll(MARK, '');

const NAMES_PROTO = /__proto__|\\u/;

/**
 * Where a member named `__proto__` is in parsed JSON, as `tools.0.__proto__`; null: nowhere. `text` is what the value was parsed
 * from: without the name, or an escape that could spell it, nothing is walked.
 */
export const protoPath = (text: string, value: unknown): string | null =>
  NAMES_PROTO.test(text) ? pathIn(value) : null;

/** A walk with a list of its own: what is parsed may be nested more deeply than the stack is. */
function pathIn(root: unknown): string | null {
  const left: { readonly value: unknown; readonly path: string }[] = [{ value: root, path: '' }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    const at = path === '' ? '' : `${path}.`;
    if (Object.hasOwn(value, '__proto__')) return `${at}__proto__`;
    for (const [name, item] of Object.entries(value))
      if (typeof item === 'object' && item !== null) left.push({ value: item, path: `${at}${name}` });
  }
  return null;
}
