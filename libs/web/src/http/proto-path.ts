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
