import {
  getAt,
  isFields,
  isSame,
  isWithin,
  leavesOf,
  outermost,
  setAt,
  type Fields,
  type Path,
} from './paths';

/**
 * Side whose value of a changed leaf will be saved. `conflict`: both sides changed it, so the user
 * must choose.
 */
export type Side = 'mine' | 'theirs' | 'conflict';

/** A leaf that either side changed after the form was opened. */
export interface MergedLeaf {
  readonly path: Path;
  readonly side: Side;
  readonly before: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Edit {
  /** The resource when the form was opened. */
  readonly base: Fields;
  /** Current values of the form. */
  readonly values: Fields;
  /** Paths that the user changed. A path within a list counts for the list. */
  readonly touched: readonly Path[];
}

/** Truncates a path at the first list or scalar, because these are changed as a whole. */
function leafAt(values: Fields, path: Path): Path {
  const cut = path.findIndex((_, index) => {
    const value = getAt(values, path.slice(0, index)) ?? null;
    return value !== null && !isFields(value);
  });
  return cut < 0 ? path : path.slice(0, cut);
}

/** Returns the touched paths whose value differs from the base: the members that a save sends. */
export function changesOf({ base, values, touched }: Edit): Path[] {
  const paths = outermost(touched.map((path) => leafAt(values, leafAt(base, path))));
  return paths.filter((path) => !isSame(getAt(base, path), getAt(values, path)));
}

/**
 * Builds the body of a save: each changed top-level member of the newest version with the user's
 * changes applied. The API replaces nested objects as a whole, so their unchanged members must be
 * included. Null clears a member. `secrets` are top-level members in which the API masks secrets;
 * masks are not sent back.
 */
export function bodyOf(edit: Edit, newest: Fields, secrets: readonly string[] = []): Fields {
  const paths = changesOf(edit);
  const members = [...new Set(paths.map(([member = '']) => member))];
  const laid = paths.reduce<unknown>(
    (body, path) => setAt(body, path, getAt(edit.values, path) ?? null),
    newest,
  );
  return Object.fromEntries(
    members.map((member) => {
      const value = getAt(laid, [member]);
      return [member, secrets.includes(member) ? withoutMasks(value, member) : value];
    }),
  );
}

/**
 * Applies the changes of an edit to the newest version, except those at or below `yielding` paths.
 */
export function rebased(edit: Edit, newest: Fields, yielding: readonly Path[] = []): Edit {
  const touched = changesOf(edit).filter((path) => !yielding.some((other) => isWithin(path, other)));
  const values = touched.reduce<unknown>((next, path) => setAt(next, path, getAt(edit.values, path)), newest);
  return { base: newest, values: values as Fields, touched };
}

/**
 * Merges a form with what others have saved meanwhile. A leaf that only one side changed belongs to
 * that side.
 */
export function merge(edit: Edit, newest: Fields): MergedLeaf[] {
  const { base, values } = edit;
  const leaf = (path: Path, side: Side): MergedLeaf => ({
    path,
    side,
    before: getAt(base, path),
    mine: getAt(values, path),
    theirs: getAt(newest, path),
  });
  const changed = changesOf(edit);
  const mine = changed.map((path) => {
    const theirs = getAt(newest, path);
    const isTheirs = !isSame(theirs, getAt(base, path)) && !isSame(theirs, getAt(values, path));
    return leaf(path, isTheirs ? 'conflict' : 'mine');
  });
  const theirs = [...leavesOf(base), ...leavesOf(newest)]
    .filter((path) => !changed.some((own) => isWithin(path, own) || isWithin(own, path)))
    .filter((path) => !isSame(getAt(base, path), getAt(newest, path)));
  return [...mine, ...outermost(theirs).map((path) => leaf(path, 'theirs'))];
}

/**
 * A masked secret of a response: `*****` for a short one, otherwise its first two and last three
 * characters, such as `sk*****f9a`. A write without it keeps the stored secret. Other texts can
 * have this form too, so test only members that hold secrets.
 */
const MASK = /^(?:[^]{2}\*{5}[^]{3}|\*{5})$/;
export const isMasked = (value: unknown): boolean => typeof value === 'string' && MASK.test(value);

/**
 * Removes masked secrets from a member, so that the API keeps the stored ones. Throws when the
 * whole member is a mask, or a list contains one.
 */
function withoutMasks(value: unknown, member: string): unknown {
  if (isMasked(value)) throw new Error(`${member} holds a masked secret, which is no value to save.`);
  if (Array.isArray(value)) {
    if (value.some(isMasked)) throw new Error(`${member} lists a masked secret, which is no value to save.`);
    return value.map((item: unknown) => withoutMasks(item, member));
  }
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => !isMasked(item));
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutMasks(item, member)]));
}

/**
 * Returns the shortest prefix of the path whose value in the base is not an object; a change below
 * it replaced that value. Returns the path itself if there is none.
 */
function replacedAt(base: Fields, path: Path): Path {
  const cut = path.findIndex((_, index) => !isFields(getAt(base, path.slice(0, index))));
  return cut < 0 ? path : path.slice(0, cut);
}

/**
 * Returns the edit that undoes a save; null if the save replaced a secret, whose earlier value only
 * the API had.
 */
export function inverseOf(edit: Edit, saved: Fields, secrets: readonly string[] = []): Edit | null {
  const { base } = edit;
  const paths = outermost(changesOf(edit).map((path) => replacedAt(base, path)));
  const leaves = paths.flatMap((path) => leavesOf(getAt(base, path), path));
  const isMaskAt = (path: Path): boolean => secrets.includes(path[0] ?? '') && isMasked(getAt(base, path));
  if ([...paths, ...leaves].some(isMaskAt)) return null;
  const values = paths.reduce<unknown>((next, path) => setAt(next, path, getAt(base, path)), saved);
  return { base: saved, values: values as Fields, touched: paths };
}
