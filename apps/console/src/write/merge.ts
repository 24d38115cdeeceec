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

/** How a changed leaf will be saved. `both`: a person must choose. */
export type Side = 'mine' | 'theirs' | 'both';

/** A leaf that was changed since the form opened. */
export interface MergedLeaf {
  readonly path: Path;
  readonly side: Side;
  readonly before: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Edit {
  /** The resource as the form opened it. */
  readonly base: Fields;
  /** Values that the form shows now. */
  readonly values: Fields;
  /** Paths that the user's input touched. A path inside a list counts for the list. */
  readonly touched: readonly Path[];
}

/** Cuts a path at the first list or other value on its way that has no members, since such are changed as a whole. */
function leafAt(values: Fields, path: Path): Path {
  const cut = path.findIndex((_, index) => {
    const value = getAt(values, path.slice(0, index)) ?? null;
    return value !== null && !isFields(value);
  });
  return cut < 0 ? path : path.slice(0, cut);
}

/** Touched paths whose value differs from the base: what a save is about. */
export function changesOf({ base, values, touched }: Edit): Path[] {
  const paths = outermost(touched.map((path) => leafAt(values, leafAt(base, path))));
  return paths.filter((path) => !isSame(getAt(base, path), getAt(values, path)));
}

/**
 * Body of a save: each top-level member with a change, as the newest version has it, with the changes laid over it. The API replaces
 * an object inside as a whole, so that its untouched members must be there. Null clears.
 */
export function bodyOf(edit: Edit, newest: Fields): Fields {
  const paths = changesOf(edit);
  const members = [...new Set(paths.map(([member = '']) => member))];
  const laid = paths.reduce<unknown>(
    (body, path) => setAt(body, path, getAt(edit.values, path) ?? null),
    newest,
  );
  return Object.fromEntries(members.map((member) => [member, withoutMasks(getAt(laid, [member]), member)]));
}

/** The same changes over the newest version, without those that yield to it. */
export function rebased(edit: Edit, newest: Fields, yielding: readonly Path[] = []): Edit {
  const touched = changesOf(edit).filter((path) => !yielding.some((other) => isWithin(path, other)));
  const values = touched.reduce<unknown>((next, path) => setAt(next, path, getAt(edit.values, path)), newest);
  return { base: newest, values: values as Fields, touched };
}

/** Merges a form with what others saved meanwhile: what only one side changed is of that side. */
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
    return leaf(path, isTheirs ? 'both' : 'mine');
  });
  const theirs = [...leavesOf(base), ...leavesOf(newest)]
    .filter((path) => !changed.some((own) => isWithin(path, own) || isWithin(own, path)))
    .filter((path) => !isSame(getAt(base, path), getAt(newest, path)));
  return [...mine, ...outermost(theirs).map((path) => leaf(path, 'theirs'))];
}

/** Secrets as answers show them: `sk*****f9a`. They stand for a value that the API keeps. */
const MASK = /\*{5}/;
export const isMasked = (value: unknown): boolean => typeof value === 'string' && MASK.test(value);

/** A member without masked secrets, which the API then keeps as they are. Throws where the whole member is one. */
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

/** The path, or its first part at which the base has no members: what a change below it replaced. */
function replacedAt(base: Fields, path: Path): Path {
  const cut = path.findIndex((_, index) => !isFields(getAt(base, path.slice(0, index))));
  return cut < 0 ? path : path.slice(0, cut);
}

/** The edit that takes a save back: what was touched, as it was before. Null where a secret was replaced. */
export function inverseOf(edit: Edit, saved: Fields): Edit | null {
  const { base } = edit;
  const paths = outermost(changesOf(edit).map((path) => replacedAt(base, path)));
  const leaves = paths.flatMap((path) => leavesOf(getAt(base, path), path));
  if ([...paths, ...leaves].some((path) => isMasked(getAt(base, path)))) return null;
  const values = paths.reduce<unknown>((next, path) => setAt(next, path, getAt(base, path)), saved);
  return { base: saved, values: values as Fields, touched: paths };
}
