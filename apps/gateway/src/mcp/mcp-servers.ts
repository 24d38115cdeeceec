import { documentKey, type McpServerDocument, type UserDocument } from '@gw/contracts';
import { CallerUsers, namesUsers } from '../auth/caller-users';
import { readDocument, type Documents } from '../auth/documents';
import { knownCaller } from '../auth/known-caller';
import type { GatewayPrincipal } from '../auth/principals';
import { ServerView } from './server-view';

/** Finds MCP servers of the caller's workspace and creates the caller's views of them. */
export class McpServers {
  readonly users: CallerUsers;
  private readonly views = new WeakMap<GatewayPrincipal, WeakMap<McpServerDocument, ServerView>>();

  constructor(private readonly documents: Documents) {
    this.users = new CallerUsers(documents);
  }

  /**
   * Returns null when the server does not exist or belongs to another workspace; callers cannot
   * tell the two apart. Returns a promise only when a document must be read from the control plane.
   */
  find(principal: GatewayPrincipal, slugOrId: string): ServerView | null | Promise<ServerView | null> {
    const { id } = principal.workspace;
    const document = this.documents.get(documentKey.mcpServer(id, slugOrId));
    if (document === undefined) return this.read(principal, slugOrId);
    if (document?.kind !== 'mcp_server' || document.workspaceId !== id) return null;
    const user = this.users.inMemory(principal, [document]);
    return user === undefined ? this.read(principal, slugOrId) : this.viewOf(principal, document, user);
  }

  private async read(principal: GatewayPrincipal, slugOrId: string): Promise<ServerView | null> {
    const { id } = principal.workspace;
    const document = await readDocument(this.documents, documentKey.mcpServer(id, slugOrId));
    if (document?.kind !== 'mcp_server' || document.workspaceId !== id) return null;
    return this.viewOf(principal, document, await this.users.of(principal, [document]));
  }

  /**
   * Returns the same caller's view of the server from its current document, or the given view while
   * the document is not in memory; null when the server no longer exists.
   */
  current(view: ServerView): ServerView | null {
    const { workspaceId, slug, id } = view.document;
    const document = this.documents.get(documentKey.mcpServer(workspaceId, slug));
    if (document === undefined) return view;
    if (document?.kind !== 'mcp_server' || document.id !== id) return null;
    const { principal } = view.caller;
    const user = this.users.inMemory(principal, [document]);
    return user === undefined ? view : this.viewOf(principal, document, user);
  }

  /**
   * Returns the caller's view of a server. `user` is the document of the caller's user, or null;
   * the views of all servers share it.
   */
  viewOf(principal: GatewayPrincipal, document: McpServerDocument, user: UserDocument | null): ServerView {
    const relevantUser = namesUsers(document) ? user : null;
    let views = this.views.get(principal);
    if (views === undefined) this.views.set(principal, (views = new WeakMap()));
    let view = views.get(document);
    if (view?.caller.user !== relevantUser)
      views.set(document, (view = new ServerView(document, knownCaller(principal, relevantUser))));
    return view;
  }
}
