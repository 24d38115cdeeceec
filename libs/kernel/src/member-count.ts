/**
 * Members of all objects of a value that `JSON.parse` returned, whose depth is bounded. `jsonSize` counts those that the text
 * has: it has more exactly when an object of it has two members of one name, since a parsed object keeps one of them. Counting
 * costs less than looking for repeated names in the text.
 */
export function memberCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : items.length;
  for (const item of items) if (typeof item === 'object' && item !== null) count += memberCount(item);
  return count;
}
