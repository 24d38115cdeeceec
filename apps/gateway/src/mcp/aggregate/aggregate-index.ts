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

/** The document of a member. Null: the workspace may not use it. Undefined: it could not be read. */
export type MemberDocument = McpServerDocument | null | undefined;

/** A tool as a search sees it, with where it is. */
interface FoundTool {
  readonly name: string;
  readonly definition: JsonObject;
  readonly mapped: MappedName;
}

const NOT_CHANGED: ToolOverride = {};
const MEMBER_OF = {
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

  /** `documents`: those of the plan's members, in the same order. */
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

  /** How the toolset shows a tool differently; null: as its server has it. */
  overrideOf({ server, original }: MappedName): ToolOverride | null {
    return this.overrides.get(server)?.get(original) ?? null;
  }

  /** The definition of a server under the shown name, with the overrides of the toolset. */
  shown(type: CapabilityType, mapped: MappedName, definition: JsonObject): JsonObject {
    const { server, shown } = mapped;
    if (type !== 'tool') return { ...definition, [MEMBER_OF[type]]: shown };
    const tool = shownTool(definition, shown, this.overrideOf(mapped) ?? NOT_CHANGED);
    return withUiUri(tool, (uri) => this.shownUri(server, uri));
  }

  /** The shown form of a URI of a server. */
  shownUri(server: string, uri: string): string {
    let shown = this.uris.get(server);
    if (shown === undefined) this.uris.set(server, (shown = shownUris(this.map, server)));
    return shown(uri);
  }

  /** The tools that match a query best, among those that `isSeen` accepts. */
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
