import {
  documentKey,
  type DocumentKey,
  type McpCatalogueDocument,
  type McpToolsetDocument,
  type ReadModelDocument,
  type UserDocument,
} from '@gw/contracts';
import { readDocument, type Documents } from '../../auth/documents';
import type { GatewayPrincipal } from '../../auth/principals';
import { knownCaller } from '../../auth/known-caller';
import type { McpServers } from '../mcp-servers';
import { AggregateIndex, type MemberDocument } from './aggregate-index';
import { AggregateView } from './aggregate-view';
import { planOf, type AggregatePlan } from './plan';

/** Maximum number of views that are cached for one caller. */
const VIEWS_MAX = 16;

/** Finds addresses with several MCP servers and creates the views of their callers. */
export class Aggregates {
  private readonly indexes = new WeakMap<AggregatePlan, AggregateIndex>();
  private readonly views = new WeakMap<GatewayPrincipal, Map<string, AggregateView>>();

  constructor(
    private readonly documents: Documents,
    private readonly servers: McpServers,
  ) {}

  /**
   * Returns the view of all servers of the caller's workspace; null when the workspace has no
   * catalogue.
   */
  async ofWorkspace(principal: GatewayPrincipal): Promise<AggregateView | null> {
    const { id } = principal.workspace;
    return this.ofDocument(principal, await readDocument(this.documents, documentKey.mcpCatalogue(id)));
  }

  /**
   * Returns the view of a toolset of the caller's workspace; null when there is no such toolset in
   * the workspace.
   */
  async ofToolset(principal: GatewayPrincipal, slugOrId: string): Promise<AggregateView | null> {
    const key = documentKey.mcpToolset(principal.workspace.id, slugOrId);
    return this.ofDocument(principal, await readDocument(this.documents, key));
  }

  /**
   * Returns the same caller's view of the address from the current documents, or the given view
   * while they are not in memory; null when the address no longer exists.
   */
  current(view: AggregateView): AggregateView | null {
    const { plan } = view.index;
    const { principal } = view.caller;
    const document = this.documents.get(keyOf(plan));
    if (document === null) return null;
    const now = isPlanDocument(document, principal) ? planOf(document) : plan;
    const members = now.members.map((member) => this.memberInMemory(now, member.serverId, view));
    const user = this.servers.users.inMemory(principal, members);
    return user === undefined ? view : this.viewOf(principal, now, members, user);
  }

  private async ofDocument(
    principal: GatewayPrincipal,
    document: ReadModelDocument | null,
  ): Promise<AggregateView | null> {
    if (!isPlanDocument(document, principal)) return null;
    const plan = planOf(document);
    const members = await Promise.all(plan.members.map(({ serverId }) => this.member(plan, serverId)));
    return this.viewOf(principal, plan, members, await this.servers.users.of(principal, members));
  }

  private async member({ workspaceId }: AggregatePlan, serverId: string): Promise<MemberDocument> {
    try {
      const key = documentKey.mcpServer(workspaceId, serverId);
      return serverOf(await readDocument(this.documents, key), workspaceId);
    } catch {
      // The other members are served; the response names this one as unavailable.
      return undefined;
    }
  }

  /** Returns the document of a member from memory, or otherwise from the view. */
  private memberInMemory(
    { workspaceId }: AggregatePlan,
    serverId: string,
    view: AggregateView,
  ): MemberDocument {
    const document = this.documents.get(documentKey.mcpServer(workspaceId, serverId));
    if (document !== undefined) return serverOf(document, workspaceId);
    const { plan, documents } = view.index;
    return documents[plan.members.findIndex((member) => member.serverId === serverId)];
  }

  private viewOf(
    principal: GatewayPrincipal,
    plan: AggregatePlan,
    members: readonly MemberDocument[],
    user: UserDocument | null,
  ): AggregateView {
    const index = this.indexOf(plan, members);
    let views = this.views.get(principal);
    if (views === undefined) this.views.set(principal, (views = new Map<string, AggregateView>()));
    const known = views.get(plan.id);
    if (known?.index === index && known.caller.user === user) return known;
    const seen = members.map((document) =>
      document ? this.servers.viewOf(principal, document, user) : null,
    );
    const view = new AggregateView(index, seen, knownCaller(principal, user));
    views.delete(plan.id);
    views.set(plan.id, view);
    const [oldest] = views.keys();
    if (views.size > VIEWS_MAX && oldest !== undefined) views.delete(oldest);
    return view;
  }

  private indexOf(plan: AggregatePlan, members: readonly MemberDocument[]): AggregateIndex {
    const known = this.indexes.get(plan);
    if (known?.documents.every((document, at) => document === members[at]) === true) return known;
    const index = new AggregateIndex(plan, members);
    this.indexes.set(plan, index);
    return index;
  }
}

const keyOf = ({ isChosen, workspaceId, id }: AggregatePlan): DocumentKey =>
  isChosen ? documentKey.mcpToolset(workspaceId, id) : documentKey.mcpCatalogue(workspaceId);

const isPlanDocument = (
  document: ReadModelDocument | null | undefined,
  { workspace }: GatewayPrincipal,
): document is McpToolsetDocument | McpCatalogueDocument =>
  (document?.kind === 'mcp_toolset' || document?.kind === 'mcp_catalogue') &&
  document.workspaceId === workspace.id;

const serverOf = (document: ReadModelDocument | null, workspaceId: string): MemberDocument =>
  document?.kind === 'mcp_server' && document.workspaceId === workspaceId ? document : null;
