import { EVERY_ITEM, type CompiledTarget, type PathSegment } from '@gw/config-schema';

export type JsonObject = Record<string, unknown>;

/**
 * A target's parameter rules on a request body: defaults fill members that the body leaves out, overrides replace members, then
 * dropped paths go. Defaults and overrides work on whole top-level members; list positions in dropped paths count in the list as
 * it was, and paths that lead nowhere are ignored. Never changes `body`; returns `body` itself when nothing changed.
 */
export function applyParams(body: JsonObject, target: CompiledTarget): JsonObject {
  if (!target.hasParamRules) return body;
  const edit = new BodyEdit(body);
  if (target.defaultParams) {
    for (const [name, value] of Object.entries(target.defaultParams)) {
      if (!Object.hasOwn(body, name)) edit.set(name, value);
    }
  }
  if (target.overrideParams) {
    for (const [name, value] of Object.entries(target.overrideParams)) edit.set(name, value);
  }
  for (const { segments } of target.dropParams) edit.drop(segments);
  return edit.finish();
}

/** Marks an item that goes, until all paths are done and positions no longer matter. */
const GONE = Symbol('gone');

/** Copies what it changes, on the way from the root to the change, once. */
class BodyEdit {
  private root: JsonObject;
  private readonly owned = new Set<object>();
  private readonly thinned = new Set<unknown[]>();

  constructor(private readonly original: JsonObject) {
    this.root = original;
  }

  set(name: string, value: unknown): void {
    if (Object.hasOwn(this.root, name) && this.root[name] === value) return;
    this.root = this.own(this.root);
    this.root[name] = value;
  }

  drop(segments: readonly PathSegment[]): void {
    this.root = this.without(this.root, segments, 0) as JsonObject;
  }

  finish(): JsonObject {
    for (const list of this.thinned) list.splice(0, list.length, ...list.filter((item) => item !== GONE));
    return this.owned.size === 0 ? this.original : this.root;
  }

  /** The container itself when the path leads nowhere in it, else an own copy without what the path names. */
  private without(container: unknown, segments: readonly PathSegment[], depth: number): unknown {
    const segment = segments[depth];
    if (Array.isArray(container)) {
      if (typeof segment !== 'number') return container;
      const first = segment === EVERY_ITEM ? 0 : segment;
      const end = segment === EVERY_ITEM ? container.length : Math.min(segment + 1, container.length);
      let list: unknown[] = container;
      for (let index = first; index < end; index++) list = this.withoutItem(list, index, segments, depth);
      return list;
    }
    if (typeof container !== 'object' || container === null || typeof segment !== 'string') return container;
    if (!Object.hasOwn(container, segment)) return container;
    const members = container as JsonObject;
    if (depth === segments.length - 1) {
      const copy = this.own(members);
      delete copy[segment];
      return copy;
    }
    const kept = this.without(members[segment], segments, depth + 1);
    if (kept === members[segment]) return members;
    const copy = this.own(members);
    copy[segment] = kept;
    return copy;
  }

  private withoutItem(
    list: unknown[],
    index: number,
    segments: readonly PathSegment[],
    depth: number,
  ): unknown[] {
    const isLast = depth === segments.length - 1;
    const kept = isLast ? GONE : this.without(list[index], segments, depth + 1);
    if (kept === list[index]) return list;
    const copy = this.own(list);
    copy[index] = kept;
    if (isLast) this.thinned.add(copy);
    return copy;
  }

  private own<Container extends JsonObject | unknown[]>(container: Container): Container {
    if (this.owned.has(container)) return container;
    const copy = (Array.isArray(container) ? container.slice() : { ...container }) as Container;
    this.owned.add(copy);
    return copy;
  }
}
