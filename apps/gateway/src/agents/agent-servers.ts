import type { AgentPlace, PushMode } from '@gw/a2a';
import { documentKey, type AgentServerDocument, type UserDocument } from '@gw/contracts';
import { UUID } from '@gw/kernel';
import { CallerUsers, namesUsers } from '../auth/caller-users';
import { readDocument, type Documents } from '../auth/documents';
import { knownCaller } from '../auth/known-caller';
import type { GatewayPrincipal } from '../auth/principals';
import { AgentView, PublicAgentView } from './agent-view';

/** Finds agents and creates the views of their callers. */
export class AgentServers {
  private readonly views = new WeakMap<GatewayPrincipal, WeakMap<AgentServerDocument, AgentView>>();
  private readonly users: CallerUsers;
  private readonly publicViews = new WeakMap<AgentServerDocument, PublicAgentView>();

  constructor(
    private readonly documents: Documents,
    /** Whether agents can send notifications to this gateway, which needs a public URL. */
    private readonly canPush: boolean,
  ) {
    this.users = new CallerUsers(documents);
  }

  /**
   * Finds an agent for a caller; null when it does not exist or the caller may not use it, which
   * callers cannot tell apart.
   */
  async find(principal: GatewayPrincipal, { workspace, agent }: AgentPlace): Promise<AgentView | null> {
    const own = principal.workspace;
    if (workspace !== null && workspace !== own.slug && workspace !== own.id) return null;
    const document = await this.read(own.id, agent);
    if (document === null) return null;
    const view = this.viewOf(principal, document, await this.users.of(principal, [document]));
    return view.isVisible ? view : null;
  }

  /**
   * Finds an agent whose card is public; null when there is none. The workspace must be named by
   * its id, because slugs are unique only within an organisation.
   */
  async findListed({ workspace, agent }: AgentPlace): Promise<PublicAgentView | null> {
    if (workspace === null || !UUID.test(workspace)) return null;
    const document = await this.read(workspace, agent);
    if (document?.isListed !== true) return null;
    let view = this.publicViews.get(document);
    if (view === undefined)
      this.publicViews.set(document, (view = new PublicAgentView(document, this.pushOf(document))));
    return view;
  }

  private async read(workspaceId: string, agent: string): Promise<AgentServerDocument | null> {
    const document = await readDocument(this.documents, documentKey.agentServer(workspaceId, agent));
    return document?.kind === 'agent_server' && document.workspaceId === workspaceId ? document : null;
  }

  private viewOf(
    principal: GatewayPrincipal,
    document: AgentServerDocument,
    user: UserDocument | null,
  ): AgentView {
    const relevantUser = namesUsers(document) ? user : null;
    let views = this.views.get(principal);
    if (views === undefined) this.views.set(principal, (views = new WeakMap()));
    let view = views.get(document);
    if (view?.caller.user !== relevantUser) {
      view = new AgentView(document, knownCaller(principal, relevantUser), this.pushOf(document));
      views.set(document, view);
    }
    return view;
  }

  private pushOf({ push }: AgentServerDocument): PushMode {
    return this.canPush ? push : 'off';
  }
}
