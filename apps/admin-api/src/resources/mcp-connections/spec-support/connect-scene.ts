import { documentKey, INTERNAL, type DocumentsResponse, type McpConnectionDocument } from '@gw/contracts';
import { AuditLogEntity, McpConnectionEntity, McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { Browser } from '../../../platform/oauth/spec-support/browser';
import {
  PASSWORD,
  SERVICE_TOKEN,
  TestAdminApi,
  type GatewayResponse,
  type Tenant,
} from '../../../spec-support/admin-api';
import { pressConnect, signInAtLink } from './connect-visit';
import { AuthorizationServer, ResourceServer } from './upstream';

export const PUBLIC_URL = 'https://gateway.example.com';

/**
 * An admin API, an upstream MCP server that announces its authorization server, and a user who may
 * call it.
 */
export class ConnectScene {
  readonly api = new TestAdminApi({ PUBLIC_URL, TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  readonly ours: Tenant = this.api.sharedTenant();
  readonly integrationId = uuidv7();
  readonly serverId = uuidv7();
  as!: AuthorizationServer;
  upstream!: ResourceServer;
  user!: { readonly id: string; readonly email: string };
  userKey!: string;

  constructor() {
    beforeAll(async () => {
      this.upstream = await ResourceServer.start();
      this.as = await AuthorizationServer.start(this.upstream.url);
      this.upstream.issuers = [this.as.issuer];
      await this.addServer();
      this.user = await this.addUser();
      this.userKey = await this.keyOf(this.user.id);
    });
    afterAll(async () => {
      await this.upstream.stop();
      await this.as.stop();
    });
  }

  addUser(): Promise<{ readonly id: string; readonly email: string }> {
    const { organisationId, workspaceId } = this.ours;
    return this.api.user(organisationId, 'member', { [workspaceId]: 'member' });
  }

  keyOf(userId: string): Promise<string> {
    const { organisationId, workspaceId } = this.ours;
    return this.api.apiKey('workspace-user', { organisationId, workspaceId, userId }, ['mcp.invoke']);
  }

  /** Adds a server for the given integration, by default the scene's first one. */
  async addServer(
    { serverId = this.serverId, integrationId = this.integrationId } = {},
    more: Partial<McpIntegrationEntity> = {},
  ): Promise<void> {
    const { organisationId, workspaceId } = this.ours;
    const { manager } = this.api.dataSource;
    await manager.insert(McpIntegrationEntity, {
      ...{ id: integrationId, organisationId, slug: integrationId, name: 'Issues', url: this.upstream.url },
      ...{ transport: 'http', authType: 'oauth_auto', approvalMode: 'auto' },
      globalWorkspaceAccess: { enabled: true },
      ...(more as object),
    });
    await manager.insert(McpServerEntity, {
      ...{ id: serverId, organisationId, workspaceId, integrationId },
      ...{ slug: serverId, name: 'Issue <tracker>' },
    });
  }

  /** Returns a link of a user's key. */
  async link(key = this.userKey, serverId = this.serverId): Promise<string> {
    const { status, body, text } = await this.api.post<{ url: string }>(
      `/v1/mcp-servers/${serverId}/connect`,
      {
        key,
      },
    );
    if (status !== 200) throw new Error(text);
    return body.url;
  }

  /** Opens a link and signs in; see `signInAtLink`. */
  signIn(browser: Browser, url: string, email = this.user.email): Promise<GatewayResponse> {
    return signInAtLink(browser, url, { email, password: PASSWORD });
  }

  /** Presses the button of a page; see `pressConnect`. */
  press(browser: Browser, url: string, page: GatewayResponse): Promise<GatewayResponse & { next: string }> {
    return pressConnect(browser, url, page);
  }

  /** Follows a link up to the address with which the authorization server returns the browser. */
  async agree(browser: Browser, url: string, email = this.user.email): Promise<URL> {
    const { next } = await this.press(browser, url, await this.signIn(browser, url, email));
    return this.as.agree(next);
  }

  /** Completes a connection. */
  async connect({ user = this.user, key = this.userKey, serverId = this.serverId } = {}): Promise<void> {
    const browser = new Browser(this.api);
    const back = await this.agree(browser, await this.link(key, serverId), user.email);
    const done = await browser.open(back.href);
    if (done.status !== 200) throw new Error(done.text);
  }

  async document(userId = this.user.id, serverId = this.serverId): Promise<McpConnectionDocument | null> {
    const key = documentKey.mcpConnection(serverId, userId);
    const { body } = await this.api.post<DocumentsResponse & Record<string, unknown>>(INTERNAL.documents, {
      ...{ token: SERVICE_TOKEN, body: { keys: [key] } },
    });
    return body.documents[key] as McpConnectionDocument | null;
  }

  connection(userId = this.user.id, serverId = this.serverId): Promise<McpConnectionEntity | null> {
    return this.api.dataSource.manager.findOneBy(McpConnectionEntity, { userId, serverId });
  }

  /** Returns the newest audit records about connections. */
  audits(): Promise<AuditLogEntity[]> {
    return this.api.dataSource.manager.find(AuditLogEntity, {
      where: { resourceType: 'mcp_connections', organisationId: this.ours.organisationId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: 5,
    });
  }
}
