type Fields = Record<string | number, unknown>;

/** A replacement text for `holder[key]`, or for the name of that member. */
export interface Edit {
  readonly holder: object;
  readonly key: string | number;
  readonly isName?: boolean;
  readonly text: string;
}

/** The position of an object in its parent. */
interface Location {
  readonly parent: object;
  readonly key: string | number;
}

/**
 * Returns the JSON value with replaced texts. Copies the objects and lists from the root to the
 * replaced texts, and shares all others with the original, which is unchanged.
 */
export function withEdits(root: unknown, edits: readonly Edit[]): unknown {
  if (!isContainer(root)) return root;
  const locations = locationsOf(root, new Set(edits.map(({ holder }) => holder)));
  const copies = new Map<object, Fields>();
  const copyOf = (container: object): Fields => {
    const existing = copies.get(container);
    if (existing) return existing;
    const copy = (Array.isArray(container) ? [...(container as unknown[])] : { ...container }) as Fields;
    copies.set(container, copy);
    const location = locations.get(container);
    if (location) copyOf(location.parent)[location.key] = copy;
    return copy;
  };
  const names = new Map<object, Map<string, string>>();
  for (const { holder, key, isName = false, text } of edits) {
    const copy = copyOf(holder);
    if (!isName) copy[key] = text;
    else names.set(copy, (names.get(copy) ?? new Map<string, string>()).set(String(key), text));
  }
  for (const [copy, others] of names) rename(copy as Fields, others);
  return copies.get(root) ?? root;
}

/** Renames members of an object in place; of two with the same new name the last is kept. */
function rename(holder: Fields, names: ReadonlyMap<string, string>): void {
  const members = Object.entries(holder);
  for (const [name] of members) Reflect.deleteProperty(holder, name);
  for (const [name, value] of members)
    Object.defineProperty(holder, names.get(name) ?? name, {
      value,
      ...{ configurable: true, enumerable: true, writable: true },
    });
}

/**
 * Returns the locations of the wanted objects, and of the objects that were visited on the way to
 * them.
 */
function locationsOf(root: object, wanted: Set<object>): ReadonlyMap<object, Location> {
  const locations = new Map<object, Location>();
  const open = [root];
  wanted.delete(root);
  for (let parent = open.pop(); parent !== undefined && wanted.size > 0; parent = open.pop()) {
    const visit = (child: unknown, key: string | number): void => {
      if (!isContainer(child)) return;
      locations.set(child, { parent, key });
      wanted.delete(child);
      open.push(child);
    };
    if (Array.isArray(parent)) (parent as unknown[]).forEach(visit);
    else for (const [key, child] of Object.entries(parent)) visit(child, key);
  }
  return locations;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
