import { modernRequest } from '@gw/testing';
import { Browser } from '../../../platform/oauth/spec-support/browser';
import { fetched } from '../../../spec-support/fetched';
import { pressConnect, signInAtLink, type Visitor } from './connect-visit';

/** A running product, as a client of the conformance suite uses it. */
export interface ConformanceProduct {
  /** Origin of the gateway. */
  readonly gateway: string;
  /** Origin of the admin API, which is also its public URL. */
  readonly admin: string;
  readonly workspaceId: string;
  readonly adminKey: string;
  /** A key of the user, who signs in at servers. */
  readonly userKey: string;
  readonly user: Visitor;
}

/** Properties of a scenario's client. */
export interface ConformanceContext {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
}

/** Metadata of the authorization server of a scenario. */
interface AuthorizationServer {
  readonly issuer: string;
  readonly token_endpoint: string;
  readonly grant_types_supported?: readonly string[];
}

/** The tool of every server in the suite. */
const TOOL = { type: 'tool', name: 'test-tool', inputSchema: { type: 'object' } };
/** Maximum number of links that the user follows. The suite ends a scenario at four. */
const LINKS_MAX = 6;

/**
 * Acts as an MCP client whose servers are behind the gateway, as its administrator and as its user:
 * registers the server of a scenario, calls its tool through the gateway, and signs in whenever the
 * gateway requests it. Throws when the tool cannot be called.
 */
export async function playScenario(
  product: ConformanceProduct,
  serverUrl: string,
  context: ConformanceContext,
): Promise<void> {
  const play = new Play(product, serverUrl);
  await play.register(context);
  // The second call reaches a server that has changed in the meantime.
  for (let calls = 0; calls < 2; calls += 1) await play.callTool();
}

/** Returns how the client of a scenario authenticates. */
const authenticationOf = (
  { client_secret, private_key_pem: private_key, signing_algorithm: signing_alg }: ConformanceContext,
  server: AuthorizationServer | null,
): object =>
  private_key === undefined
    ? { client_secret }
    : { auth_method: 'private_key_jwt', private_key, signing_alg, issuer: server?.issuer };

class Play {
  private server = '';
  private integration = '';
  private links = 0;

  constructor(
    private readonly product: ConformanceProduct,
    /** URL of the scenario's server. */
    private readonly url: string,
  ) {}

  async register(context: ConformanceContext): Promise<void> {
    const { url } = this;
    const { workspaceId: workspace_id } = this.product;
    const { id } = await this.manage('POST', '/v1/mcp-integrations', {
      ...{ name: 'Conformance', url, transport: 'http', workspace_id },
      ...(await this.authentication(context)),
    });
    this.integration = `/v1/mcp-integrations/${id}`;
    // Users sign in at the server, so the administrator reports its capabilities.
    await this.manage('POST', `${this.integration}/sync`, {
      ...{ server_info: { name: 'conformance', version: '1' }, capabilities: [TOOL] },
    });
    const server = await this.manage('POST', '/v1/mcp-servers', {
      ...{ name: 'Conformance', mcp_integration_id: id, workspace_id },
    });
    this.server = server.slug;
  }

  /**
   * Returns the administrator's settings for authentication: the client of the scenario itself if
   * its authorization server has no users.
   */
  private async authentication(context: ConformanceContext): Promise<object> {
    const { client_id, client_secret, private_key_pem: key } = context;
    if (client_id === undefined) return { auth_type: 'oauth_auto', configurations: {} };
    const isPublic = client_secret === undefined && key === undefined;
    const server = isPublic ? null : await this.authorizationServer();
    const client = { client_id, ...authenticationOf(context, server) };
    const isOfClients = server?.grant_types_supported?.join() === 'client_credentials';
    if (!isOfClients) return { auth_type: 'oauth_auto', configurations: { oauth_metadata: client } };
    const { token_endpoint } = server;
    return {
      auth_type: 'oauth_client_credentials',
      configurations: { oauth_client_credentials: { ...client, token_endpoint } },
    };
  }

  private async authorizationServer(): Promise<AuthorizationServer | null> {
    const [issuer] = await this.issuers();
    if (issuer === undefined) return null;
    const response = await fetch(new URL('/.well-known/oauth-authorization-server', issuer));
    return response.ok ? ((await response.json()) as AuthorizationServer) : null;
  }

  async callTool(): Promise<void> {
    for (;;) {
      const params = { name: TOOL.name, arguments: {} };
      const request = modernRequest(this.product.userKey, 'tools/call', params);
      const response = await fetch(`${this.product.gateway}/${this.server}/mcp`, request);
      const text = await response.text();
      if (text.includes('"text":"test"')) return;
      const link = new RegExp(`${this.product.admin}/oauth/connect/[^\\s"\\\\]+`).exec(text)?.[0];
      if (link === undefined) throw new Error(`The tool was not called: ${text}`);
      this.links += 1;
      if (this.links > LINKS_MAX) throw new Error('The gateway requests sign-ins without end.');
      await this.connect(link);
    }
  }

  /**
   * Follows a link as its user does. An administrator first confirms another authorization server.
   */
  private async connect(link: string): Promise<void> {
    const browser = new Browser({
      call: (method, url, call) => fetched(this.product.admin, method, url, call),
    });
    let page = await signInAtLink(browser, link, this.product.user);
    if (page.text.includes('names another authorization server')) {
      await this.confirmIssuer();
      page = await signInAtLink(browser, link, this.product.user);
    }
    const { next, text } = await pressConnect(browser, link, page);
    if (next === '') throw new Error(`The browser was not sent on: ${text}`);
    const back = await fetch(next, { redirect: 'manual' });
    const callback = back.headers.get('location');
    if (callback === null) throw new Error(`The authorization server responded with ${String(back.status)}.`);
    const done = await browser.open(callback);
    if (done.status !== 200) throw new Error(`The connection failed: ${done.text}`);
  }

  /** Confirms, as administrator, the authorization server that the server now names. */
  private async confirmIssuer(): Promise<void> {
    const [issuer] = await this.issuers();
    await this.manage('PUT', this.integration, { configurations: { oauth_metadata: { issuer } } });
  }

  /**
   * Returns the authorization servers that the server names; none when its metadata is elsewhere.
   */
  private async issuers(): Promise<readonly string[]> {
    const { origin, pathname } = new URL(this.url);
    const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
    if (!response.ok) return [];
    return ((await response.json()) as { authorization_servers: readonly string[] }).authorization_servers;
  }

  private async manage(
    method: string,
    path: string,
    body: object,
  ): Promise<{ readonly id: string; readonly slug: string }> {
    const headers = { 'x-gw-api-key': this.product.adminKey };
    const response = await fetched<{ id: string; slug: string }>(this.product.admin, method, path, {
      headers,
      body,
    });
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.text}`);
    return response.body;
  }
}
