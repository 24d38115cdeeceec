import { digestOf, GATEWAY_VERSION, isObject } from '@gw/kernel';
import {
  mayUseServer,
  originalUri,
  SEARCH_TOOL_NAMES,
  SEARCH_TOOLS,
  type EndpointFacts,
  type JsonObject,
  type MappedName,
  type MemberList,
} from '@gw/mcp';
import type { CapabilityType, Endpoint, Offered, OfferedResource } from '../endpoint';
import type { KnownCaller } from '../../auth/known-caller';
import { TTL_MS, type SeenCapability, type ServerView } from '../server-view';
import type { AggregateIndex } from './aggregate-index';

const SEARCH_DEFINITIONS: ReadonlyMap<string, JsonObject> = new Map(
  SEARCH_TOOLS.map((tool) => [String(tool['name']), tool]),
);

/** One caller's view of several MCP servers under one address. */
export class AggregateView implements Endpoint {
  readonly integrationId = null;
  readonly servers: readonly ServerView[];
  readonly listsDigest: string;
  readonly unavailable: readonly string[];
  private readonly bySlug: ReadonlyMap<string, ServerView>;
  /** Cached facts; null until they are first read. */
  private cachedFacts: EndpointFacts | null = null;

  /**
   * `views` are those of the index's members, in the same order; null for a member without a
   * document.
   */
  constructor(
    readonly index: AggregateIndex,
    views: readonly (ServerView | null)[],
    readonly caller: KnownCaller,
  ) {
    this.servers = views.filter((view) => view !== null);
    this.bySlug = new Map(this.servers.map((view) => [view.slug, view]));
    this.unavailable = unavailableOf(index, views);
    this.listsDigest = digestOf('mcp/lists', [
      index.plan.version,
      ...views.map((view) => view?.listsDigest ?? ''),
      ...this.unavailable,
    ]);
  }

  get id(): string {
    return this.index.plan.id;
  }

  get slug(): string {
    return this.index.plan.slug;
  }

  get isSearched(): boolean {
    return this.index.plan.isSearched;
  }

  get isStrict(): boolean {
    return this.index.plan.isStrict;
  }

  get isWhole(): boolean {
    return !this.index.documents.includes(undefined);
  }

  get facts(): EndpointFacts {
    return (this.cachedFacts ??= this.readFacts());
  }

  lists(type: CapabilityType): readonly MemberList<string>[] {
    const { plan, map } = this.index;
    if (type === 'tool' && this.isSearched) return [{ server: '', version: '', items: SEARCH_TOOL_NAMES }];
    const items = new Map<string, string[]>(plan.members.map(({ server }) => [server, []]));
    for (const mapped of map[type].values())
      if (this.visible(type, mapped) !== undefined) items.get(mapped.server)?.push(mapped.shown);
    return [...items].map(([server, names]) => ({
      ...{ server, items: names },
      // The version in a cursor changes with the toolset and with the server.
      version: `${plan.version}/${this.bySlug.get(server)?.document.version ?? ''}`,
    }));
  }

  definition(type: CapabilityType, shown: string): JsonObject {
    const search = type === 'tool' && this.isSearched ? SEARCH_DEFINITIONS.get(shown) : undefined;
    if (search !== undefined) return search;
    const mapped = this.index.map[type].get(shown);
    const seen = mapped && this.visible(type, mapped);
    return mapped && seen ? this.index.shown(type, mapped, seen.facts.definition) : {};
  }

  find(type: CapabilityType, shown: string): Offered | undefined {
    const mapped = this.index.map[type].get(shown);
    if (mapped === undefined) return undefined;
    const view = this.bySlug.get(mapped.server);
    const seen = view?.capabilitiesOf(type).get(mapped.original);
    if (view === undefined || seen === undefined) return undefined;
    return { view, seen, override: type === 'tool' ? this.index.overrideOf(mapped) : null };
  }

  resourceOf(uri: string): OfferedResource | undefined {
    const listed = this.find('resource', uri);
    if (listed !== undefined) return { view: listed.view, uri: listed.seen.facts.name };
    for (const mapped of this.index.map.resource_template.values()) {
      const view = this.bySlug.get(mapped.server);
      const original = originalUri(mapped, uri);
      if (view === undefined || original === null) continue;
      // A resource that the member lists is offered under its own name or not at all, never through
      // a template.
      const isListed = view.hides(original) || view.capabilitiesOf('resource').has(original);
      if (!isListed && this.visible('resource_template', mapped) !== undefined)
        return { view, uri: original };
    }
    return undefined;
  }

  shownUri({ slug }: ServerView, uri: string): string {
    return this.index.shownUri(slug, uri);
  }

  /** Returns at most `limit` tools that match a query best, among those that the caller sees. */
  search(
    query: string,
    limit: number,
  ): readonly { readonly name: string; readonly definition: JsonObject }[] {
    return this.index.search(query, limit, (mapped) => this.visible('tool', mapped) !== undefined);
  }

  private visible(type: CapabilityType, { server, original }: MappedName): SeenCapability | undefined {
    return this.bySlug.get(server)?.capabilitiesOf(type).get(original);
  }

  private readFacts(): EndpointFacts {
    const { slug, title, instructions } = this.index.plan;
    return {
      serverInfo: { name: slug === '-' ? 'tollgate' : slug, title, version: GATEWAY_VERSION },
      capabilities: this.capabilities(),
      instructions,
      ttlMs: TTL_MS,
    };
  }

  /** Merges the server capabilities of all members. */
  private capabilities(): JsonObject {
    const all: Record<string, object> = { tools: { listChanged: true } };
    for (const { facts } of this.servers)
      for (const [name, value] of Object.entries(facts.capabilities))
        if (isObject(value)) all[name] = { ...all[name], ...value };
    return all;
  }
}

/**
 * Returns the slugs of members whose part of the lists is missing: members whose document could not
 * be read, members that the workspace may no longer use, and members whose capabilities the control
 * plane has never read.
 */
function unavailableOf({ plan, documents }: AggregateIndex, views: readonly (ServerView | null)[]): string[] {
  return plan.members
    .filter((_member, at) => {
      const view = views[at] ?? null;
      if (view === null) return documents[at] === undefined || plan.isChosen;
      return view.isUnread && mayUseServer(view.access, view.caller.access);
    })
    .map(({ server }) => server);
}
