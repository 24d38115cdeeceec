import type { McpServerDocument } from '@gw/contracts';
import {
  mapMembers,
  shownTool,
  shownUris,
  ToolSearch,
  withUiUri,
  type AggregateMap,
  type JsonObject,
  type MappedName,
  type ToolOverride,
} from '@gw/mcp';
import type { CapabilityType } from '../endpoint';
import type { AggregatePlan } from './plan';

/**
 * The document of a member server; null when the workspace may not use it, undefined when it could
 * not be read.
 */
export type MemberDocument = McpServerDocument | null | undefined;

/** A tool in the search index, with the server and the name that it maps to. */
interface FoundTool {
  readonly name: string;
  readonly definition: JsonObject;
  readonly mapped: MappedName;
}

const NO_OVERRIDE: ToolOverride = {};
const NAME_MEMBERS = {
  tool: 'name',
  prompt: 'name',
  resource: 'uri',
  resource_template: 'uriTemplate',
} as const;

/** Names and definitions of everything under an aggregate address, the same for every caller. */
export class AggregateIndex {
  readonly map: AggregateMap;
  private readonly overrides: ReadonlyMap<string, ReadonlyMap<string, ToolOverride>>;
  private readonly uris = new Map<string, (uri: string) => string>();
  private tools: ToolSearch<FoundTool> | null = null;

  /** `documents` are those of the plan's members, in the same order. */
  constructor(
    readonly plan: AggregatePlan,
    readonly documents: readonly MemberDocument[],
  ) {
    const { members, isSearched } = plan;
    this.map = mapMembers(
      members.map((member, at) => ({ ...member, capabilities: documents[at]?.capabilities ?? [] })),
      { isSearched },
    );
    this.overrides = new Map(members.map(({ server, overrides }) => [server, overrides]));
  }

  /**
   * Returns the toolset's override of a tool; null when the toolset shows the tool as its server
   * defines it.
   */
  overrideOf({ server, original }: MappedName): ToolOverride | null {
    return this.overrides.get(server)?.get(original) ?? null;
  }

  /** Returns a server's definition under its shown name, with the overrides of the toolset. */
  shown(type: CapabilityType, mapped: MappedName, definition: JsonObject): JsonObject {
    const { server, shown } = mapped;
    if (type !== 'tool') return { ...definition, [NAME_MEMBERS[type]]: shown };
    const tool = shownTool(definition, shown, this.overrideOf(mapped) ?? NO_OVERRIDE);
    return withUiUri(tool, (uri) => this.shownUri(server, uri));
  }

  /** Returns the shown form of a server's URI. */
  shownUri(server: string, uri: string): string {
    let shown = this.uris.get(server);
    if (shown === undefined) this.uris.set(server, (shown = shownUris(this.map, server)));
    return shown(uri);
  }

  /** Returns at most `limit` tools that match a query best, among those that `isSeen` accepts. */
  search(query: string, limit: number, isSeen: (tool: MappedName) => boolean): readonly FoundTool[] {
    this.tools ??= new ToolSearch(this.allTools());
    return this.tools.find(query, limit, ({ mapped }) => isSeen(mapped));
  }

  private allTools(): FoundTool[] {
    const definitions = new Map(
      this.plan.members.map(({ server }, at) => [server, toolsOf(this.documents[at])]),
    );
    return [...this.map.tool.values()].map((mapped) => {
      const definition = definitions.get(mapped.server)?.get(mapped.original) ?? {};
      return { name: mapped.shown, definition: this.shown('tool', mapped, definition), mapped };
    });
  }
}

const toolsOf = (document: MemberDocument): ReadonlyMap<string, JsonObject> =>
  new Map(
    (document?.capabilities ?? [])
      .filter(({ type }) => type === 'tool')
      .map(({ name, definition }) => [name, definition]),
  );
