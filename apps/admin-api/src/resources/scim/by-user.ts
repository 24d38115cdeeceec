/** Groups rows by their user. */
export function byUser<T extends { readonly userId: string }>(
  rows: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.userId);
    if (group === undefined) groups.set(row.userId, [row]);
    else group.push(row);
  }
  return groups;
}
