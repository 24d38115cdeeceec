import {
  documentKey,
  INTERNAL,
  isExchanged,
  type DocumentKey,
  type McpConnectionContent,
  type McpConnectionDocument,
  type McpLinkResponse,
  type McpRefreshRequest,
  type McpRefreshResponse,
  type McpServerDocument,
} from '@gw/contracts';
import { GatewayError, isObject, readProofKey, unseal, type Keyring } from '@gw/kernel';
import { connectionBinding } from '@gw/mcp';
import { readDocument, type ReloadableDocuments } from '../auth/documents';
import type { UserToken } from '../credentials/server-credentials';
import { Denied } from './denials';

/** Remaining lifetime in milliseconds below which a call waits for a new token. */
const EXPIRES_SOON_MS = 30_000;

export interface ConnectionParts {
  readonly documents: ReloadableDocuments;
  /** Opens sealed tokens. */
  readonly ring: Keyring;
  /**
   * Sends a POST to the control plane and resolves to the parsed response; rejects unless the
   * status is a success.
   */
  readonly post: (path: string, body: object) => Promise<unknown>;
}

/**
 * The connections of users to upstream servers. The control plane stores them and renews their
 * tokens.
 */
export class UpstreamConnections {
  private readonly renewing = new Map<DocumentKey, Promise<void>>();
  private readonly tokens = new WeakMap<McpConnectionDocument, UserToken>();

  constructor(private readonly parts: ConnectionParts) {}

  /**
   * Returns the user's access token for a server. Rejects with a denial that links to the page on
   * which the user connects.
   */
  async tokenOf(server: McpServerDocument, userId: string | null): Promise<UserToken> {
    const connection = userId === null ? null : await this.usableConnection(server, userId);
    if (connection === null) throw await this.missingDenial(server, userId);
    return this.opened(connection);
  }

  /** Renews a token that the server refused. Resolves to false when the user must connect again. */
  async renew(server: McpServerDocument, userId: string | null): Promise<boolean> {
    const connection = userId === null ? null : await this.read(server, userId);
    if (connection === null || !connection.isRefreshable) return false;
    await this.renewOnce(connection);
    const now = await this.read(server, connection.userId);
    return now !== null && now.version !== connection.version;
  }

  /**
   * Returns the denial of a call for which the server requires more scopes, with a link on which
   * the user grants them. Returns `granted` when the user has just granted them and there is a new
   * token, and null when the user cannot grant more.
   */
  async scopesDenial(
    server: McpServerDocument,
    userId: string | null,
    scopes: readonly string[],
  ): Promise<Denied | 'granted' | null> {
    if (userId === null || scopes.length === 0) return null;
    const known = await this.read(server, userId);
    const request = { serverId: server.id, userId, scopes: scopes.slice(0, SCOPES_MAX) };
    const response = (await this.requestControlPlane(
      INTERNAL.mcpConnectionScopes,
      request,
    )) as McpLinkResponse | null;
    if (response?.url != null) return connectDenial(server, response.url);
    const now = response === null ? null : await this.readAgain(server, userId);
    return now !== null && now.version !== known?.version ? 'granted' : null;
  }

  /**
   * Returns the denial of a call that needs a connection, or the error of a call for which the
   * control plane could not exchange a token.
   */
  async missingDenial(server: McpServerDocument, userId: string | null): Promise<Denied | GatewayError> {
    if (userId !== null && isExchanged(server.authType))
      return new GatewayError('provider_credential_failed', {
        message:
          'There is no token of the user for the MCP server; administrators find the reason in the audit log.',
      });
    const link = userId === null ? null : await this.linkFor(server, userId);
    return connectDenial(server, link);
  }

  private async usableConnection(
    server: McpServerDocument,
    userId: string,
  ): Promise<McpConnectionDocument | null> {
    const connection = await this.read(server, userId);
    if (connection === null)
      return isExchanged(server.authType)
        ? this.exchangeToken(server, userId)
        : this.readAgain(server, userId);
    if (leftMs(connection) > EXPIRES_SOON_MS) {
      if (isRenewalDue(connection)) this.renewAhead(connection);
      return connection;
    }
    if (connection.isRefreshable) await this.renewOnce(connection);
    const now = connection.isRefreshable ? await this.read(server, userId) : connection;
    return now !== null && leftMs(now) > 0 ? now : null;
  }

  /**
   * Gets the first token of a user for a server with token exchange, which needs no sign-in; null
   * when the control plane could not get one.
   */
  private async exchangeToken(
    server: McpServerDocument,
    userId: string,
  ): Promise<McpConnectionDocument | null> {
    await this.renewOnce({ serverId: server.id, userId, version: NO_VERSION });
    return this.read(server, userId);
  }

  /**
   * Renews a token in the background. A failure has no effect, because the next call renews it
   * again.
   */
  private renewAhead(connection: McpConnectionDocument): void {
    this.renewOnce(connection).catch(() => undefined);
  }

  private async read({ id }: McpServerDocument, userId: string): Promise<McpConnectionDocument | null> {
    const document = await readDocument(this.parts.documents, documentKey.mcpConnection(id, userId));
    return document?.kind === 'mcp_connection' ? document : null;
  }

  /**
   * Reads the connection from the control plane. A user who has just connected repeats the call
   * immediately, which may be before the change event arrives. Returns null when there is no valid
   * connection, and while the control plane cannot be reached.
   */
  private async readAgain({ id }: McpServerDocument, userId: string): Promise<McpConnectionDocument | null> {
    try {
      const document = await this.parts.documents.reload(documentKey.mcpConnection(id, userId));
      return document?.kind === 'mcp_connection' && leftMs(document) > 0 ? document : null;
    } catch {
      return null;
    }
  }

  /** Renews a token with one request to the control plane for all calls that need it. */
  private renewOnce(connection: McpRefreshRequest): Promise<void> {
    const key = documentKey.mcpConnection(connection.serverId, connection.userId);
    let renewing = this.renewing.get(key);
    if (renewing === undefined) {
      renewing = this.renewNow(key, connection).finally(() => this.renewing.delete(key));
      this.renewing.set(key, renewing);
    }
    return renewing;
  }

  private async renewNow(key: DocumentKey, { serverId, userId, version }: McpRefreshRequest): Promise<void> {
    const response = await this.requestControlPlane(INTERNAL.mcpConnectionRefresh, {
      serverId,
      userId,
      version,
    });
    const { outcome } = (response ?? { outcome: 'failed' }) as Pick<McpRefreshResponse, 'outcome'>;
    // The change event may arrive later than this response.
    if (outcome === 'refreshed') await this.parts.documents.reload(key);
  }

  private async linkFor({ id: serverId }: McpServerDocument, userId: string): Promise<string | null> {
    const response = await this.requestControlPlane(INTERNAL.mcpConnectionLink, { serverId, userId });
    return (response as McpLinkResponse | null)?.url ?? null;
  }

  /** Sends a request to the control plane; null while it cannot be reached. */
  private async requestControlPlane(path: string, body: object): Promise<object | null> {
    try {
      const response = await this.parts.post(path, body);
      return isObject(response) ? response : null;
    } catch {
      return null;
    }
  }

  private opened(connection: McpConnectionDocument): UserToken {
    let token = this.tokens.get(connection);
    if (token === undefined) {
      const text = unseal(this.parts.ring, connection.sealedTokens, connectionBinding(connection));
      const { accessToken, proofKey } = JSON.parse(text.toString('utf8')) as McpConnectionContent;
      token = { accessToken, proofKey: proofKey === undefined ? null : readProofKey(proofKey) };
      this.tokens.set(connection, token);
    }
    return token;
  }
}

const isRenewalDue = ({ isRefreshable, renewFrom }: McpConnectionDocument): boolean =>
  isRefreshable && renewFrom !== undefined && Date.parse(renewFrom) <= Date.now();

/** A version that no document has, so that the control plane gets a token. */
const NO_VERSION = 'none';

const SCOPES_MAX = 200;

const connectDenial = ({ slug: server }: McpServerDocument, link: string | null): Denied =>
  new Denied(
    { kind: 'connection', server, link, requestState: null },
    new GatewayError('mcp_connection_required'),
  );

const leftMs = ({ expiresAt }: McpConnectionDocument): number =>
  expiresAt === null ? Infinity : Date.parse(expiresAt) - Date.now();
