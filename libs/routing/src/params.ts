import { EVERY_ITEM, type ParamPath, type PathSegment } from '@gw/config-schema';
import type { CompiledTarget } from './compile/compiled';
import { GatewayError } from '@gw/kernel';

export type JsonObject = Record<string, unknown>;

/** Members and items that the parameter rules of all targets of one request may visit. */
const VISITED_MAX = 500_000;

/**
 * Applies the parameter rules of a request's targets to its body. Create one per request.
 * All dropped paths of a target take one pass over the body, targets with equal rules share the
 * result, and the total number of visits is bounded.
 */
export class ParamRules {
  private readonly results: { readonly target: CompiledTarget; readonly body: JsonObject }[] = [];
  private left = VISITED_MAX;

  constructor(private readonly body: JsonObject) {}

  /**
   * Returns the body for a target: defaults fill absent members, overrides replace members, then
   * dropped paths are removed.
   * Defaults and overrides work on whole top-level members. List positions in dropped paths refer
   * to the original list, and paths that match nothing are ignored.
   * Never changes the body, and returns it as it is when no rule applies. Throws 413 when the paths
   * match too much of the body.
   */
  apply(target: CompiledTarget): JsonObject {
    if (!target.hasParamRules) return this.body;
    const known = this.results.find((other) => other.target === target) ?? this.sameRules(target);
    if (known) return known.body;
    const edit = new BodyEdit(this.body, () => {
      this.visit();
    });
    for (const [name, value] of Object.entries(target.defaultParams ?? {})) {
      if (!Object.hasOwn(this.body, name)) edit.set(name, value);
    }
    for (const [name, value] of Object.entries(target.overrideParams ?? {})) edit.set(name, value);
    if (target.dropParams.length > 0) edit.drop(dropsOf(target));
    const body = edit.finish();
    this.results.push({ target, body });
    return body;
  }

  private sameRules(target: CompiledTarget): { readonly body: JsonObject } | undefined {
    if (this.results.length === 0) return undefined;
    const rules = rulesOf(target);
    return this.results.find((other) => rulesOf(other.target) === rules);
  }

  private visit(): void {
    this.left -= 1;
    if (this.left >= 0) return;
    throw new GatewayError('body_too_large', {
      message: `The paths of drop_params lead to more than ${String(VISITED_MAX)} members of the request body; send a smaller body, or name fewer list items in the config.`,
    });
  }
}

/** Applies the parameter rules of one target. */
export const applyParams = (body: JsonObject, target: CompiledTarget): JsonObject =>
  new ParamRules(body).apply(target);

const RULES = new WeakMap<CompiledTarget, string>();

function rulesOf(target: CompiledTarget): string {
  let rules = RULES.get(target);
  if (rules === undefined) {
    const { defaultParams, overrideParams, dropParams } = target;
    rules = JSON.stringify([defaultParams, overrideParams, dropParams.map(({ text }) => text)]);
    RULES.set(target, rules);
  }
  return rules;
}

/** The dropped paths of a target as one tree. */
interface Drops {
  /** Whether a path ends here, so that the value is removed. */
  isEnd: boolean;
  readonly below: Map<PathSegment, Drops>;
}

const DROPS = new WeakMap<CompiledTarget, Drops>();

function dropsOf(target: CompiledTarget): Drops {
  let drops = DROPS.get(target);
  if (!drops) {
    drops = treeOf(target.dropParams);
    DROPS.set(target, drops);
  }
  return drops;
}

function treeOf(paths: readonly ParamPath[]): Drops {
  const root: Drops = { isEnd: false, below: new Map() };
  for (const { segments } of paths) {
    let at = root;
    for (const segment of segments) {
      let next = at.below.get(segment);
      if (!next) {
        next = { isEnd: false, below: new Map() };
        at.below.set(segment, next);
      }
      at = next;
    }
    at.isEnd = true;
  }
  return root;
}

/** Marks a removed item until positions no longer matter. */
const GONE = Symbol('gone');

/**
 * Up to this many names are looked up in an object; for more names, all its members are visited.
 */
const LOOKED_UP_MAX = 4;

/** Edits a body by copying each changed container once, from the root to the change. */
class BodyEdit {
  private root: JsonObject;
  private readonly thinned: unknown[][] = [];

  constructor(
    private readonly original: JsonObject,
    private readonly visit: () => void,
  ) {
    this.root = original;
  }

  set(name: string, value: unknown): void {
    if (Object.hasOwn(this.root, name) && this.root[name] === value) return;
    if (this.root === this.original) this.root = { ...this.original };
    this.root[name] = value;
  }

  drop(drops: Drops): void {
    this.root = this.without(this.root, [drops]) as JsonObject;
  }

  finish(): JsonObject {
    for (const list of this.thinned) compact(list);
    return this.root;
  }

  /**
   * Returns a copy of a container without the values that the paths name; the container itself when
   * nothing matches.
   */
  private without(container: unknown, drops: readonly Drops[]): unknown {
    if (Array.isArray(container)) return this.withoutItems(container, drops);
    if (typeof container !== 'object' || container === null) return container;
    let copy: JsonObject | null = null;
    const members = container as JsonObject;
    for (const name of namesIn(members, drops)) {
      this.visit();
      const below = belowOf(drops, name);
      if (below.length === 0 || !Object.hasOwn(members, name)) continue;
      const kept = this.reduced(members[name], below);
      if (kept === members[name]) continue;
      copy ??= { ...members };
      if (kept === GONE) delete copy[name];
      else copy[name] = kept;
    }
    return copy ?? container;
  }

  private withoutItems(list: readonly unknown[], drops: readonly Drops[]): unknown {
    let copy: unknown[] | null = null;
    let isThinned = false;
    for (const index of positionsIn(list, drops)) {
      this.visit();
      const kept = this.reduced(list[index], [...belowOf(drops, index), ...belowOf(drops, EVERY_ITEM)]);
      if (kept === list[index]) continue;
      copy ??= list.slice();
      copy[index] = kept;
      isThinned ||= kept === GONE;
    }
    if (copy && isThinned) this.thinned.push(copy);
    return copy ?? list;
  }

  /** Returns `GONE` for a value that a path ends at, else the value without its dropped parts. */
  private reduced(value: unknown, drops: readonly Drops[]): unknown {
    return drops.some(({ isEnd }) => isEnd) ? GONE : this.without(value, drops);
  }
}

function belowOf(drops: readonly Drops[], segment: PathSegment): readonly Drops[] {
  const below: Drops[] = [];
  for (const each of drops) {
    const next = each.below.get(segment);
    if (next) below.push(next);
  }
  return below;
}

/**
 * Returns the names that a path may match: those of the paths, or of the object if there are fewer.
 */
function namesIn(members: JsonObject, drops: readonly Drops[]): readonly string[] {
  const wanted = new Set<string>();
  for (const { below } of drops) {
    for (const segment of below.keys()) {
      if (typeof segment === 'string') wanted.add(segment);
      if (wanted.size > LOOKED_UP_MAX) return Object.keys(members);
    }
  }
  return [...wanted];
}

function positionsIn(list: readonly unknown[], drops: readonly Drops[]): Iterable<number> {
  if (drops.some(({ below }) => below.has(EVERY_ITEM))) return list.keys();
  const wanted = new Set<number>();
  for (const { below } of drops) {
    for (const segment of below.keys()) {
      if (typeof segment === 'number' && segment < list.length) wanted.add(segment);
    }
  }
  return wanted;
}

/** Removes the items that are marked as gone. */
function compact(list: unknown[]): void {
  let end = 0;
  for (const item of list) {
    if (item === GONE) continue;
    list[end] = item;
    end += 1;
  }
  list.length = end;
}
