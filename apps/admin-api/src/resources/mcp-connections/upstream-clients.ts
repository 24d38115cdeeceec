import {
  McpIntegrationEntity,
  McpOauthClientEntity,
  mcpOauthClientBinding,
  McpServerEntity,
  type McpConnectionEntity,
} from '@gw/entities';
import { digestOf, isObject, seal, uuidv7 } from '@gw/kernel';
import { clientWay } from '@gw/mcp';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openedOr, openJson } from '../../platform/credentials/unreadable-secrets';
import type { UpstreamClient } from '../../platform/mcp/connection-tokens';
import { isMapped, McpSecrets } from '../../platform/mcp/mcp-secrets.service';
import { Secrets } from '../../settings';
import { ConnectUrls } from './connect-urls';
import { clientSettings, type UpstreamAuthorization } from './upstream-discovery';

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 65_536;
const TEXT_MAX = 2_048;
const CLIENT_NAME = 'Tollgate';

/** Stored registration of a client. */
interface Registered {
  readonly client: UpstreamClient;
  /** Registered redirect address; another address needs another client. */
  readonly redirectUri: string;
  /** Expiry of the secret in Unix milliseconds; null when it does not expire. */
  readonly expiresAt: number | null;
}

/** Provides Tollgate's clients at upstream authorization servers. */
@Injectable()
export class UpstreamClients {
  constructor(
    private readonly dataSource: DataSource,
    private readonly http: BufferedClient,
    private readonly secrets: Secrets,
    private readonly mcpSecrets: McpSecrets,
    private readonly urls: ConnectUrls,
  ) {}

  /**
   * Returns the client of an integration: the configured one, else the client document, else a
   * client that is registered and stored. Returns null when an administrator must configure one.
   */
  async clientOf(
    integration: McpIntegrationEntity,
    authorization: UpstreamAuthorization,
  ): Promise<UpstreamClient | null> {
    const { clientId } = clientSettings(integration);
    if (clientId !== null) return this.configured(integration, clientId, authorization);
    const { isHttps } = this.urls;
    const readsClientDocuments = authorization.readsClientDocuments && isHttps;
    switch (clientWay({ ...authorization, readsClientDocuments, scopes: [] }, false)) {
      case 'document':
        return { id: this.urls.clientDocument(integration.id), secret: null, authMethod: 'none' };
      case 'register':
        return (
          (await this.kept(integration.id, authorization)) ?? this.register(integration.id, authorization)
        );
      case 'configured':
      case 'none':
        return null;
    }
  }

  /** Returns the client document, for servers that support client documents. */
  documentOf(integrationId: string): object {
    return {
      client_id: this.urls.clientDocument(integrationId),
      ...metadataOf(this.urls.callback, 'none'),
    };
  }

  /** Deletes a registered client that its server no longer knows. */
  async forget(integrationId: string, issuer: string): Promise<void> {
    await this.dataSource.manager.delete(McpOauthClientEntity, rowOf(integrationId, issuer));
  }

  /**
   * Deletes the registered client of a connection, which its server no longer knows, unless another
   * one has been registered since.
   */
  async forgetOf(
    { serverId, issuer }: Pick<McpConnectionEntity, 'serverId' | 'issuer'>,
    { id }: UpstreamClient,
  ): Promise<void> {
    const server = await this.dataSource.manager.findOneBy(McpServerEntity, { id: serverId });
    if (server === null || issuer === null) return;
    const known = await this.kept(server.integrationId, { issuer });
    if (known?.id === id) await this.forget(server.integrationId, issuer);
  }

  private async configured(
    integration: McpIntegrationEntity,
    id: string,
    { tokenAuthMethods, tokenAuthAlgorithms, issuer }: UpstreamAuthorization,
  ): Promise<UpstreamClient> {
    const source = { integrationId: integration.id, issuer };
    // A client with a key never authenticates otherwise, whatever methods the server announces: it
    // has no secret that it could be tricked into sending.
    if (clientSettings(integration).signs) {
      const signed = { ...source, announced: tokenAuthAlgorithms };
      return { id, secret: null, authMethod: 'private_key_jwt', signed };
    }
    const authMethod = secretMethod(tokenAuthMethods);
    if (isMapped(integration, 'client_secret')) return { id, secret: null, authMethod, mapped: source };
    const secret = await this.mcpSecrets.clientSecret(integration);
    return secret === null ? { id, secret, authMethod: 'none' } : { id, secret, authMethod };
  }

  private async kept(
    integrationId: string,
    { issuer }: Pick<UpstreamAuthorization, 'issuer'>,
  ): Promise<UpstreamClient | null> {
    const row = await this.dataSource.manager.findOneBy(McpOauthClientEntity, rowOf(integrationId, issuer));
    if (row === null) return null;
    const registered = openedOr(
      () => openJson<Registered>(this.secrets.sealingKeyring, row.sealed, mcpOauthClientBinding(row.id)),
      () => null,
    );
    // A client that cannot be opened is registered again.
    if (registered === null) return null;
    const { client, redirectUri, expiresAt } = registered;
    const isUsable = redirectUri === this.urls.callback && (expiresAt === null || expiresAt > Date.now());
    return isUsable ? client : null;
  }

  /**
   * Registers a client and returns it; null when the server refuses. When two processes register
   * concurrently, the later client is stored; both work.
   */
  private async register(
    integrationId: string,
    { registrationEndpoint, issuer, tokenAuthMethods }: UpstreamAuthorization,
  ): Promise<UpstreamClient | null> {
    if (registrationEndpoint === null) return null;
    const method = tokenAuthMethods.includes('none') ? 'none' : secretMethod(tokenAuthMethods);
    const redirectUri = this.urls.callback;
    const response = await this.post(registrationEndpoint, metadataOf(redirectUri, method));
    const registered = response === null ? null : readRegistration(response, method, redirectUri);
    if (registered === null) return null;
    const id = uuidv7();
    const sealed = seal(this.secrets.sealingKeyring, JSON.stringify(registered), mcpOauthClientBinding(id));
    await this.dataSource.query(
      `INSERT INTO mcp_oauth_clients (id, integration_id, issuer_digest, sealed) VALUES ($1, $2, $3, $4)
       ON CONFLICT (integration_id, issuer_digest) DO UPDATE SET id = $1, sealed = $4, created_at = now()`,
      [id, integrationId, rowOf(integrationId, issuer).issuerDigest, sealed],
    );
    return registered.client;
  }

  private async post(url: string, metadata: object): Promise<unknown> {
    try {
      const { status, body } = await this.http.fetchBuffered({
        ...{ url, method: 'POST', body: JSON.stringify(metadata) },
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        ...{ totalTimeoutMs: TIMEOUT_MS, bytesMax: BYTES_MAX },
      });
      return status === 201 || status === 200 ? (JSON.parse(body.toString('utf8')) as unknown) : null;
    } catch (error) {
      if (error instanceof OutboundError || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}

const rowOf = (integrationId: string, issuer: string) => ({
  integrationId,
  issuerDigest: digestOf('mcp/issuer', [issuer]),
});

/**
 * Returns the method for a client secret. A server that announces none accepts
 * `client_secret_basic` (RFC 8414, section 2).
 */
const secretMethod = (announced: readonly string[]): 'client_secret_basic' | 'client_secret_post' =>
  announced.includes('client_secret_post') && !announced.includes('client_secret_basic')
    ? 'client_secret_post'
    : 'client_secret_basic';

const metadataOf = (redirectUri: string, authMethod: UpstreamClient['authMethod']): object => ({
  client_name: CLIENT_NAME,
  // Servers allow plain HTTP on loopback only for native clients (OpenID Connect Registration,
  // section 2).
  application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: authMethod,
});

function readRegistration(
  response: unknown,
  requested: UpstreamClient['authMethod'],
  redirectUri: string,
): Registered | null {
  if (!isObject(response)) return null;
  const { client_id: id, client_secret: secret, client_secret_expires_at: expires } = response;
  const { token_endpoint_auth_method: named = requested } = response;
  if (!isText(id)) return null;
  if (named !== 'client_secret_post' && named !== 'client_secret_basic')
    return { client: { id, secret: null, authMethod: 'none' }, redirectUri, expiresAt: null };
  if (!isText(secret)) return null;
  const expiresAt = typeof expires === 'number' && expires > 0 ? expires * 1_000 : null;
  return { client: { id, secret, authMethod: named }, redirectUri, expiresAt };
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_MAX;
