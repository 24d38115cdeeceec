import { isObject } from '@gw/kernel';
import { CODES, MCP_LIMITS, own, ownList, UpstreamPages, type JsonObject } from '@gw/mcp';
import type { CallOptions } from './calls/call-event';
import { CallClock } from './http/call-clock';
import { UPSTREAM_BOUNDS } from './limits';
import { tooLarge, UpstreamError } from './upstream-error';

/** Kinds of lists of an upstream. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates';

const LISTS: Readonly<
  Record<ListKind, { readonly method: string; readonly member: string; readonly key: string }>
> = {
  tools: { method: 'tools/list', member: 'tools', key: 'name' },
  prompts: { method: 'prompts/list', member: 'prompts', key: 'name' },
  resources: { method: 'resources/list', member: 'resources', key: 'uri' },
  templates: { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate' },
};

export interface UpstreamList {
  /** Items with a name or URI, in the order of the upstream. */
  readonly items: readonly JsonObject[];
  /** Whether the bounds ended the list early. */
  readonly isCut: boolean;
  /** Number of items that were left out because they have no name or URI. */
  readonly invalidCount: number;
  /** Shortest `ttlMs` of the pages; null for a legacy upstream. */
  readonly ttlMs: number | null;
}

type Request = (method: string, params: JsonObject, options: CallOptions) => Promise<JsonObject>;

/**
 * Collects the pages of a list within `totalMs`. A server that does not know the method has an
 * empty list.
 */
export async function collectList(
  kind: ListKind,
  totalMs: number,
  options: Pick<CallOptions, 'signal' | 'headers'>,
  request: Request,
): Promise<UpstreamList> {
  const clock = new CallClock({ totalMs, idleMs: totalMs }, options.signal);
  try {
    return await collect(kind, request, { ...options, signal: clock.signal });
  } catch (error) {
    if (error instanceof UpstreamError && error.rpc?.code === CODES.methodNotFound)
      return { items: [], isCut: false, invalidCount: 0, ttlMs: null };
    // The limit of the whole list cancelled the page.
    if (clock.aborted !== null) throw clock.aborted;
    throw error;
  } finally {
    clock.end();
  }
}

async function collect(kind: ListKind, request: Request, options: CallOptions): Promise<UpstreamList> {
  const { method, member, key } = LISTS[kind];
  const { pagesMax, itemsMax } = MCP_LIMITS;
  const pages = new UpstreamPages<JsonObject>({ pagesMax, itemsMax });
  let [invalidCount, bytes] = [0, 0];
  let ttlMs: number | null = null;
  for (let cursor: string | null | undefined; cursor !== null;) {
    const result = await request(method, cursor === undefined ? {} : { cursor }, options);
    const page = ownList(result, member);
    const valid = page.filter(
      (item): item is JsonObject => isObject(item) && typeof own(item, key) === 'string',
    );
    invalidCount += page.length - valid.length;
    bytes += sizeOf(valid);
    if (bytes > UPSTREAM_BOUNDS.listBytesMax) throw tooLarge('The list', UPSTREAM_BOUNDS.listBytesMax);
    ttlMs = shorter(ttlMs, own(result, 'ttlMs'));
    cursor = pages.add(valid, own(result, 'nextCursor'));
  }
  return { items: pages.items, isCut: pages.isCut, invalidCount, ttlMs };
}

/** Returns the size of the items as JSON, in UTF-16 units. */
const sizeOf = (items: readonly JsonObject[]): number =>
  items.reduce((sum, item) => sum + JSON.stringify(item).length, 0);

const shorter = (known: number | null, next: unknown): number | null =>
  typeof next === 'number' && next >= 0 ? Math.min(known ?? next, next) : known;
