import type { McpCatalogueDocument, McpToolsetDocument } from '@gw/contracts';
import type { MemberSelection, ToolOverride } from '@gw/mcp';

/** A server under an aggregate address. */
export interface PlanMember extends MemberSelection {
  readonly serverId: string;
  /** Slug of the server. */
  readonly server: string;
  /** Prefix of shown names; the slug when absent. */
  readonly prefix?: string;
  readonly aliases: ReadonlyMap<string, string>;
  /** Overrides by the name that the server gives the tool. */
  readonly overrides: ReadonlyMap<string, ToolOverride>;
}

/**
 * The servers behind an aggregate address, which is a toolset or all servers of a workspace. A plan
 * is the same for every caller.
 */
export interface AggregatePlan {
  readonly id: string;
  readonly version: string;
  /** Slug of the toolset; `-` for all servers. */
  readonly slug: string;
  readonly title: string;
  readonly workspaceId: string;
  readonly instructions: string | null;
  readonly isSearched: boolean;
  readonly isStrict: boolean;
  /**
   * Whether an administrator chose the members, so that a member that the workspace may no longer
   * use is reported as missing.
   */
  readonly isChosen: boolean;
  readonly members: readonly PlanMember[];
}

type PlanDocument = McpToolsetDocument | McpCatalogueDocument;

const plans = new WeakMap<PlanDocument, AggregatePlan>();

/** Returns the plan of a document; it is created once for each document. */
export function planOf(document: PlanDocument): AggregatePlan {
  let plan = plans.get(document);
  if (plan === undefined) {
    plan = document.kind === 'mcp_toolset' ? ofToolset(document) : ofCatalogue(document);
    plans.set(document, plan);
  }
  return plan;
}

const ofToolset = (document: McpToolsetDocument): AggregatePlan => ({
  id: document.id,
  version: document.version,
  slug: document.slug,
  title: document.name,
  workspaceId: document.workspaceId,
  instructions: document.instructions,
  isSearched: document.mode === 'search',
  isStrict: document.failure === 'strict',
  isChosen: true,
  members: document.members.map(({ prefix, aliases, overrides, ...member }) => ({
    ...member,
    ...(prefix !== null && { prefix }),
    aliases: new Map(Object.entries(aliases)),
    overrides: new Map(Object.entries(overrides)),
  })),
});

const ofCatalogue = ({ workspaceId, version, servers }: McpCatalogueDocument): AggregatePlan => ({
  id: workspaceId,
  version,
  slug: '-',
  title: 'Tollgate',
  workspaceId,
  instructions: null,
  isSearched: false,
  isStrict: false,
  isChosen: false,
  members: servers.map(({ id, slug }) => ({
    ...{ serverId: id, server: slug, include: [], exclude: [] },
    ...{ aliases: new Map<string, string>(), overrides: new Map<string, ToolOverride>() },
  })),
});
