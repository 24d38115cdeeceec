/**
 * Names of nested members, outermost first, such as `['usage_limits', 'credit_limit']`. Lists are
 * leaves.
 */
export type Path = readonly string[];

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Splits `usage_limits.credit_limit` into a path. Names that contain dots must be given as an
 * array.
 */
export const pathOf = (path: string | Path): Path => (typeof path === 'string' ? path.split('.') : path);

export const nameOf = (path: Path): string => path.join('.');

/** Returns the value at a path; undefined when there is none. */
export function getAt(value: unknown, path: Path): unknown {
  let found: unknown = value;
  for (const name of path) {
    if (!isFields(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/**
 * Returns a copy of `value` with another value at the path. Replaces non-objects on the path by
 * objects.
 */
export function setAt(value: unknown, path: Path, next: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return next;
  const fields = isFields(value) ? value : {};
  const own = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return { ...fields, [name]: setAt(own, rest, next) };
}

/** Whether two JSON values are equal. Absent and null are equal, as in the API. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one ?? null, other ?? null)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isFields(one) || !isFields(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(getAt(one, [name]), getAt(other, [name])));
}

/** Paths of all leaves: scalars, lists and empty objects. */
export function leavesOf(value: unknown, path: Path = []): Path[] {
  if (!isFields(value) || Object.keys(value).length === 0) return path.length === 0 ? [] : [path];
  return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...path, name]));
}

/** Whether `inner` is `outer` or below it. */
export const isWithin = (inner: Path, outer: Path): boolean =>
  outer.length <= inner.length && outer.every((name, index) => inner[index] === name);

/** Removes paths that lie below another path, and duplicates. */
export function outermost(paths: readonly Path[]): Path[] {
  const unique = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  return unique.filter((path) => !unique.some((other) => other !== path && isWithin(path, other)));
}
