import { documentKey, type DocumentKey, type McpServerDocument, type UserDocument } from '@gw/contracts';
import { readDocument, type Documents } from '../auth/documents';
import type { Principal } from '../auth/principals';
import { mcpCaller, namesUsers, userIdOf } from './mcp-caller';
import { ServerView } from './server-view';

/** Finds MCP servers of the caller's workspace, and what the caller sees of them. */
export class McpServers {
  private readonly views = new WeakMap<Principal, WeakMap<McpServerDocument, ServerView>>();

  constructor(private readonly documents: Documents) {}

  /** Null for a server that does not exist, and for one that is not the caller's: both are the same to callers. */
  async find(principal: Principal, slugOrId: string): Promise<ServerView | null> {
    const { id } = principal.workspace;
    const document = await readDocument(this.documents, documentKey.mcpServer(id, slugOrId));
    if (document?.kind !== 'mcp_server' || document.workspaceId !== id) return null;
    return this.viewOf(principal, document, await this.userOf(principal, [document]));
  }

  /** The view of the same caller on the server as it is now; the known one while that is not in memory. */
  now(view: ServerView): ServerView | null {
    const { workspaceId, slug } = view.document;
    const document = this.documents.get(documentKey.mcpServer(workspaceId, slug));
    if (document === undefined) return view;
    if (document?.kind !== 'mcp_server') return null;
    const { principal } = view.caller;
    const user = this.userNow(principal, [document]);
    return user === undefined ? view : this.viewOf(principal, document, user);
  }

  /** The caller's user, where rules of one of the servers need it; null otherwise. */
  async userOf(
    principal: Principal,
    servers: readonly (McpServerDocument | null | undefined)[],
  ): Promise<UserDocument | null> {
    const key = userKey(principal, servers);
    const user = key === null ? null : await readDocument(this.documents, key);
    return user?.kind === 'user' ? user : null;
  }

  /** `userOf` from memory; undefined while the user is not there. */
  userNow(
    principal: Principal,
    servers: readonly (McpServerDocument | null | undefined)[],
  ): UserDocument | null | undefined {
    const key = userKey(principal, servers);
    const user = key === null ? null : this.documents.get(key);
    if (user === undefined) return undefined;
    return user?.kind === 'user' ? user : null;
  }

  /** What the caller sees of a server. `user`: of `userOf`, for this server and others. */
  viewOf(principal: Principal, document: McpServerDocument, user: UserDocument | null): ServerView {
    const ruled = namesUsers(document) ? user : null;
    let views = this.views.get(principal);
    if (views === undefined) this.views.set(principal, (views = new WeakMap()));
    let view = views.get(document);
    if (view?.caller.user !== ruled)
      views.set(document, (view = new ServerView(document, mcpCaller(principal, ruled))));
    return view;
  }
}

/** The document of the caller's user, where the rules of one of the servers need it. */
function userKey(
  principal: Principal,
  servers: readonly (McpServerDocument | null | undefined)[],
): DocumentKey | null {
  if (!servers.some((server) => server != null && namesUsers(server))) return null;
  const userId = userIdOf(principal);
  return userId === null ? null : documentKey.user(principal.organisation.id, userId);
}
