import { documentKey, type McpServerDocument, type UserDocument } from '@gw/contracts';
import { CallerUsers, namesUsers } from '../auth/caller-users';
import { readDocument, type Documents } from '../auth/documents';
import { knownCaller } from '../auth/known-caller';
import type { GatewayPrincipal } from '../auth/principals';
import { ServerView } from './server-view';

/** Finds MCP servers of the caller's workspace, and what the caller sees of them. */
export class McpServers {
  readonly users: CallerUsers;
  private readonly views = new WeakMap<GatewayPrincipal, WeakMap<McpServerDocument, ServerView>>();

  constructor(private readonly documents: Documents) {
    this.users = new CallerUsers(documents);
  }

  /**
   * Null for a server that does not exist, and for one that is not the caller's: both are the same to callers. A promise only while
   * something must be read from the control plane.
   */
  find(principal: GatewayPrincipal, slugOrId: string): ServerView | null | Promise<ServerView | null> {
    const { id } = principal.workspace;
    const document = this.documents.get(documentKey.mcpServer(id, slugOrId));
    if (document === undefined) return this.read(principal, slugOrId);
    if (document?.kind !== 'mcp_server' || document.workspaceId !== id) return null;
    const user = this.users.now(principal, [document]);
    return user === undefined ? this.read(principal, slugOrId) : this.viewOf(principal, document, user);
  }

  private async read(principal: GatewayPrincipal, slugOrId: string): Promise<ServerView | null> {
    const { id } = principal.workspace;
    const document = await readDocument(this.documents, documentKey.mcpServer(id, slugOrId));
    if (document?.kind !== 'mcp_server' || document.workspaceId !== id) return null;
    return this.viewOf(principal, document, await this.users.of(principal, [document]));
  }

  /** The view of the same caller on the server as it is now; the known one while that is not in memory. Null when it ended. */
  now(view: ServerView): ServerView | null {
    const { workspaceId, slug, id } = view.document;
    const document = this.documents.get(documentKey.mcpServer(workspaceId, slug));
    if (document === undefined) return view;
    if (document?.kind !== 'mcp_server' || document.id !== id) return null;
    const { principal } = view.caller;
    const user = this.users.now(principal, [document]);
    return user === undefined ? view : this.viewOf(principal, document, user);
  }

  /** The caller's view of a server. `user`: the caller's user, shared by the views of all servers. */
  viewOf(principal: GatewayPrincipal, document: McpServerDocument, user: UserDocument | null): ServerView {
    const ruled = namesUsers(document) ? user : null;
    let views = this.views.get(principal);
    if (views === undefined) this.views.set(principal, (views = new WeakMap()));
    let view = views.get(document);
    if (view?.caller.user !== ruled)
      views.set(document, (view = new ServerView(document, knownCaller(principal, ruled))));
    return view;
  }
}
