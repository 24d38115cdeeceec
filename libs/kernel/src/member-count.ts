/**
 * Counts the members of all objects of a value that `JSON.parse` returned; its depth must be
 * bounded. The count of `jsonSize` for the text is higher exactly when an object in it has two
 * members with one name, since a parsed object keeps one of them. Comparing the two costs less than
 * searching the text for duplicate names.
 */
export function memberCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : items.length;
  for (const item of items) if (typeof item === 'object' && item !== null) count += memberCount(item);
  return count;
}
