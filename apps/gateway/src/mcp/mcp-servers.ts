import { documentKey, type DocumentKey, type McpServerDocument, type UserDocument } from '@gw/contracts';
import type { McpPlace } from '@gw/oauth';
import { readDocument, type Documents } from '../auth/documents';
import type { Principal } from '../auth/principals';
import { mcpCaller, namesUsers, userIdOf } from './mcp-caller';
import { ServerView } from './server-view';

/** Finds MCP servers, and what callers see of them. */
export class McpServers {
  private readonly views = new WeakMap<Principal, WeakMap<McpServerDocument, ServerView>>();

  constructor(private readonly documents: Documents) {}

  /** Null for a server that does not exist, and for one that is not the caller's: both are the same to callers. */
  async find(principal: Principal, { workspace, server }: McpPlace): Promise<ServerView | null> {
    const own = principal.workspace;
    const isOwn = workspace === null || workspace === own.slug || workspace === own.id;
    if (!isOwn || server === null) return null;
    const document = await readDocument(this.documents, documentKey.mcpServer(own.id, server));
    if (document?.kind !== 'mcp_server' || document.workspaceId !== own.id) return null;
    const key = userKey(principal, document);
    const user = key === null ? null : await readDocument(this.documents, key);
    return this.viewOf(principal, document, user?.kind === 'user' ? user : null);
  }

  /** The view of the same caller on the server as it is now; the known one while that is not in memory. */
  now(view: ServerView): ServerView | null {
    const { workspaceId, slug } = view.document;
    const document = this.documents.get(documentKey.mcpServer(workspaceId, slug));
    if (document === undefined) return view;
    if (document?.kind !== 'mcp_server') return null;
    const { principal } = view.caller;
    const key = userKey(principal, document);
    const user = key === null ? null : this.documents.get(key);
    if (user === undefined) return view;
    return this.viewOf(principal, document, user?.kind === 'user' ? user : null);
  }

  private viewOf(principal: Principal, document: McpServerDocument, user: UserDocument | null): ServerView {
    let views = this.views.get(principal);
    if (views === undefined) this.views.set(principal, (views = new WeakMap()));
    let view = views.get(document);
    if (view?.caller.user !== user)
      views.set(document, (view = new ServerView(document, mcpCaller(principal, user))));
    return view;
  }
}

/** The document of the caller's user, where the rules of the server need it. */
function userKey(principal: Principal, server: McpServerDocument): DocumentKey | null {
  if (!namesUsers(server)) return null;
  const userId = userIdOf(principal);
  return userId === null ? null : documentKey.user(principal.organisation.id, userId);
}
