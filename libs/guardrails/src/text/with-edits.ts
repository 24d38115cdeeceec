type Fields = Record<string | number, unknown>;

/** A replacement text for `holder[key]`. */
export interface Edit {
  readonly holder: object;
  readonly key: string | number;
  readonly text: string;
}

/** The position of an object in its parent. */
interface Way {
  readonly parent: object;
  readonly key: string | number;
}

/**
 * Returns the JSON value with replaced texts. Copies the objects and lists from the root to the
 * replaced texts, and shares all others with the original, which is unchanged.
 */
export function withEdits(root: unknown, edits: readonly Edit[]): unknown {
  if (!isContainer(root)) return root;
  const ways = waysTo(root, new Set(edits.map(({ holder }) => holder)));
  const copies = new Map<object, Fields>();
  const copyOf = (one: object): Fields => {
    const known = copies.get(one);
    if (known) return known;
    const copy = (Array.isArray(one) ? [...(one as unknown[])] : { ...one }) as Fields;
    copies.set(one, copy);
    const way = ways.get(one);
    if (way) copyOf(way.parent)[way.key] = copy;
    return copy;
  };
  for (const { holder, key, text } of edits) copyOf(holder)[key] = text;
  return copies.get(root) ?? root;
}

/** Returns the positions of the wanted objects, and of others found on the way to them. */
function waysTo(root: object, wanted: Set<object>): ReadonlyMap<object, Way> {
  const ways = new Map<object, Way>();
  const open = [root];
  wanted.delete(root);
  for (let parent = open.pop(); parent !== undefined && wanted.size > 0; parent = open.pop()) {
    const meet = (child: unknown, key: string | number): void => {
      if (!isContainer(child)) return;
      ways.set(child, { parent, key });
      wanted.delete(child);
      open.push(child);
    };
    if (Array.isArray(parent)) (parent as unknown[]).forEach(meet);
    else for (const [key, child] of Object.entries(parent)) meet(child, key);
  }
  return ways;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
