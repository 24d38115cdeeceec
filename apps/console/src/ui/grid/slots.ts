/** A row in the document. Its element is known by the slot, and may be used for another row later. */
export interface Slot {
  readonly slot: number;
  readonly id: string;
}

/**
 * Rows in view in the order of their elements. `ids`: in the order of the list. While the list is scrolled, rows that enter take the
 * elements of rows that have left, where these are: to change the texts of an element is much less work than to make a new one. Otherwise
 * the elements are in the order of the list, and rows that enter get new ones.
 */
export function nextSlots(
  before: readonly Slot[],
  ids: readonly string[],
  isScrolling: boolean,
): readonly Slot[] {
  const present = new Set(ids);
  let unused = before.reduce((most, { slot }) => Math.max(most, slot), -1) + 1;
  if (!isScrolling) {
    const known = new Map(before.map(({ id, slot }) => [id, slot]));
    return ids.map((id) => ({ id, slot: known.get(id) ?? unused++ }));
  }
  const kept = new Set(before.map(({ id }) => id));
  const entering = ids.filter((id) => !kept.has(id));
  const slots: Slot[] = [];
  for (const row of before) {
    const next = present.has(row.id) ? row.id : entering.shift();
    if (next === row.id) slots.push(row);
    else if (next !== undefined) slots.push({ id: next, slot: row.slot });
  }
  for (const id of entering) slots.push({ id, slot: unused++ });
  return slots;
}
