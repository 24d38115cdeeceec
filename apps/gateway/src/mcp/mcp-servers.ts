import { documentKey, type McpServerDocument } from '@gw/contracts';
import type { McpPlace } from '@gw/oauth';
import { readDocument, type Documents } from '../auth/documents';
import type { Principal } from '../auth/principals';
import { mcpCaller } from './mcp-caller';
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
    return document?.kind === 'mcp_server' && document.workspaceId === own.id
      ? this.viewOf(principal, document)
      : null;
  }

  /** The view of the same caller on the server as it is now; the known one while that is not in memory. */
  now(view: ServerView): ServerView | null {
    const { workspaceId, slug } = view.document;
    const document = this.documents.get(documentKey.mcpServer(workspaceId, slug));
    if (document === undefined) return view;
    return document?.kind === 'mcp_server' ? this.viewOf(view.caller.principal, document) : null;
  }

  private viewOf(principal: Principal, document: McpServerDocument): ServerView {
    let views = this.views.get(principal);
    if (views === undefined) this.views.set(principal, (views = new WeakMap()));
    let view = views.get(document);
    if (view === undefined) views.set(document, (view = new ServerView(document, mcpCaller(principal))));
    return view;
  }
}
