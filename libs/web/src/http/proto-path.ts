const NAMES_PROTO = /__proto__|\\u/;

/**
 * Returns the path of a member named `__proto__` in parsed JSON, such as `tools.0.__proto__`; null
 * if there is none. `text` is the source: without the name, or an escape that could spell it, the
 * value is not searched.
 */
export const protoPath = (text: string, value: unknown): string | null =>
  NAMES_PROTO.test(text) ? pathIn(value) : null;

/**
 * Iterates with an explicit list, because parsed JSON may be nested more deeply than the stack
 * allows.
 */
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
