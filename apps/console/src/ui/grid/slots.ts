/** A rendered row. `slot` identifies its DOM element, which may later be reused for another row. */
export interface Slot {
  readonly slot: number;
  readonly id: string;
}

/**
 * Assigns the visible rows to DOM elements. `ids` are in the order of the list. During scrolling,
 * entering rows reuse the elements of rows that have left, because changing texts is much cheaper
 * than creating elements. Otherwise the elements are in the order of the list, and entering rows
 * get new ones.
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
