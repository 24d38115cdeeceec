import { digestOf, type Keyring } from '@gw/kernel';
import { CODES, McpFault } from '../fault';
import { openToken, sealToken } from '../sealed/sealed-token';

/** The items of one member that the caller may see. */
export interface MemberList<T> {
  readonly server: string;
  /** Version of the snapshot that contains the items. */
  readonly version: string;
  readonly items: readonly T[];
}

/** Binding of a cursor, which no other list, filter or principal can use. */
export interface ListOwner {
  /** Method, such as `tools/list`, with the id of the server or toolset. */
  readonly list: string;
  readonly principal: string;
  /** Digest of the rules that filter the list. */
  readonly filter: string;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export interface ListPageOptions {
  readonly ring: Keyring;
  readonly owner: ListOwner;
  /** Maximum number of items on one page, 1 to 500. */
  readonly pageSize: number;
  /** The cursor of the request; undefined for the first page. */
  readonly cursor: unknown;
}

interface Position {
  readonly member: number;
  readonly offset: number;
  readonly version: string;
}

const PREFIX = 'gwlc1.';
const PAGE_MAX = 500;
const CURSOR_LENGTH_MAX = 1_024;

const binding = ({ list, principal, filter }: ListOwner): string =>
  digestOf('mcp/cursor', [list, principal, filter]);

/**
 * Returns one page of the lists of all members, in their order. A cursor continues after the
 * previous page; if its member has changed or left since, at the next member. Throws -32602 for a
 * cursor of another list, filter or principal, and for a modified one.
 */
export function listPage<T>(lists: readonly MemberList<T>[], options: ListPageOptions): ListPage<T> {
  const size = Math.min(PAGE_MAX, Math.max(1, Math.trunc(options.pageSize)));
  let { member, offset } = startOf(lists, options);
  const items: T[] = [];
  while (member < lists.length && items.length < size) {
    const all = lists[member]?.items ?? [];
    const taken = all.slice(offset, offset + size - items.length);
    items.push(...taken);
    offset += taken.length;
    if (offset >= all.length) [member, offset] = [member + 1, 0];
  }
  while (member < lists.length && offset >= (lists[member]?.items.length ?? 0))
    [member, offset] = [member + 1, 0];
  const version = lists[member]?.version;
  const nextCursor = version === undefined ? null : sealed({ member, offset, version }, options);
  return { items, nextCursor };
}

function startOf<T>(lists: readonly MemberList<T>[], { ring, owner, cursor }: ListPageOptions): Position {
  if (cursor === undefined) return { member: 0, offset: 0, version: '' };
  const position = opened(ring, owner, cursor);
  if (position === null) throw invalidCursor();
  const isSame = lists[position.member]?.version === position.version;
  return isSame || position.offset === 0 ? position : { member: position.member + 1, offset: 0, version: '' };
}

/**
 * Returns the fault of an invalid cursor, with status 200 because the HTTP request is well-formed.
 */
const invalidCursor = (): McpFault => new McpFault(CODES.invalidParams, 'The cursor is not valid.');

const sealed = ({ member, offset, version }: Position, { ring, owner }: ListPageOptions): string =>
  sealToken(ring, PREFIX, [member, offset, version], binding(owner));

function opened(ring: Keyring, owner: ListOwner, cursor: unknown): Position | null {
  if (typeof cursor !== 'string') return null;
  const options = { prefix: PREFIX, boundTo: binding(owner), lengthMax: CURSOR_LENGTH_MAX };
  const value = openToken(ring, cursor, options) as readonly [number, number, string] | null;
  if (value === null) return null;
  const [member, offset, version] = value;
  return { member, offset, version };
}

/**
 * Collects the pages of an upstream's list. `add` returns the cursor of the next page, or null at
 * the end: without a cursor, for a repeated cursor, and after 100 pages or 5,000 items.
 */
export class UpstreamPages<T> {
  readonly items: T[] = [];
  /** Whether the bounds ended the list early. */
  isCut = false;
  private readonly seen = new Set<string>();

  constructor(private readonly bounds: { readonly pagesMax: number; readonly itemsMax: number }) {}

  add(page: readonly T[], nextCursor: unknown): string | null {
    const { pagesMax, itemsMax } = this.bounds;
    const room = itemsMax - this.items.length;
    for (const item of page.slice(0, room)) this.items.push(item);
    if (typeof nextCursor !== 'string' && page.length <= room) return null;
    const isRepeated = typeof nextCursor === 'string' && this.seen.has(nextCursor);
    if (page.length > room || isRepeated || this.seen.size + 1 >= pagesMax) {
      this.isCut = true;
      return null;
    }
    this.seen.add(nextCursor as string);
    return nextCursor as string;
  }
}

/** Returns the members of `_meta` for a list that lacks the items of failed servers. */
export function unavailableMeta(failed: readonly string[]): Readonly<Record<string, unknown>> {
  return failed.length === 0 ? {} : { 'gw/unavailable': failed };
}

/** Returns the fault of a list whose toolset does not tolerate failed members. */
export const strictListFault = (failed: readonly string[]): McpFault =>
  new McpFault(CODES.internal, 'A server of this toolset is not available.', {
    data: { type: 'provider_unreachable', servers: failed },
  });
