import { McpIntegrationEntity } from '@gw/entities';
import { GatewayError, isObject, isSecureUrl, PROOF_ALGORITHM, Shares, type AddressPolicy } from '@gw/kernel';
import {
  defaultEndpoints,
  issuerVerdict,
  readChallenge,
  type BearerChallenge,
  type ResourceMetadata,
  type ServerMetadata,
} from '@gw/mcp';
import { discoverAuthorization, discoverIssuer, type DiscoveryAttempt } from '@gw/mcp-client';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { SCOPE, SCOPES_MAX } from '../../platform/mcp/token-endpoint';

/** Maximum number of concurrent discoveries in this process; each makes a few small fetches. */
const DISCOVERIES_MAX = 16;
const TOTAL_MS = 20_000;
const CHALLENGE_MS = 5_000;
const CHALLENGE_BYTES_MAX = 65_536;

/** Authorization server of an upstream, and the parameters with which a user signs in there. */
export interface UpstreamAuthorization extends Omit<ServerMetadata, 'scopes'> {
  readonly resource: string;
  /** Whether the server accepts only tokens that are bound to a key. */
  readonly demandsProof: boolean;
  /** Scopes to request. */
  readonly scopes: readonly string[];
}

export type Discovered =
  | { readonly kind: 'found'; readonly authorization: UpstreamAuthorization }
  /** The server names another authorization server than it did at the first connection. */
  | { readonly kind: 'changed'; readonly pinned: string; readonly issuer: string }
  | { readonly kind: 'failed'; readonly attempts: readonly DiscoveryAttempt[] };

interface Found {
  readonly kind: 'found';
  readonly resource: ResourceMetadata;
  readonly server: ServerMetadata;
}
type Failed = Extract<Discovered, { kind: 'failed' }>;

/**
 * Settings of the client in `configurations.oauth_metadata` of an integration; absent members are
 * null.
 */
export interface ClientSettings {
  readonly clientId: string | null;
  /** Whether the client authenticates with assertions signed by its key. */
  readonly signs: boolean;
  /** Issuer that an administrator has confirmed; it replaces the pinned one. */
  readonly issuer: string | null;
  readonly scopes: readonly string[] | null;
}

/** Returns the valid scopes in a text, at most 200. */
export const readScopes = (text: string): readonly string[] =>
  text
    .split(' ')
    .filter((scope) => SCOPE.test(scope))
    .slice(0, SCOPES_MAX);

export function clientSettings({
  configurations,
}: Pick<McpIntegrationEntity, 'configurations'>): ClientSettings {
  const given: unknown = configurations['oauth_metadata'];
  const settings = isObject(given) ? given : {};
  const text = (name: string): string | null => {
    const value: unknown = settings[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    clientId: text('client_id'),
    signs: text('auth_method') === 'private_key_jwt',
    issuer: text('issuer'),
    scopes: text('scope') === null ? null : readScopes(text('scope') ?? ''),
  };
}

/**
 * Returns the issuer of the integration's first connection, or the one that its administrator
 * confirmed; null when there is none.
 */
export async function pinnedIssuer(
  manager: EntityManager,
  integration: McpIntegrationEntity,
): Promise<string | null> {
  const { issuer } = clientSettings(integration);
  if (issuer !== null) return issuer;
  const [first] = await manager.query<{ issuer: string }[]>(
    `SELECT c.issuer FROM mcp_connections c JOIN mcp_servers s ON s.id = c.server_id
     WHERE s.integration_id = $1 AND c.issuer IS NOT NULL ORDER BY c.created_at, c.id LIMIT 1`,
    [integration.id],
  );
  return first?.issuer ?? null;
}

/** Discovers the authorization servers of upstream MCP servers. */
@Injectable()
export class UpstreamDiscovery {
  private readonly places = new Shares(DISCOVERIES_MAX);

  constructor(
    private readonly dataSource: DataSource,
    private readonly http: BufferedClient,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
  ) {}

  /**
   * Discovers the authorization server of an integration. Never rejects because of an upstream's
   * behaviour. Throws `rate_limited` when the organisation runs the maximum number of discoveries.
   */
  async discover(integration: McpIntegrationEntity): Promise<Discovered> {
    const { organisationId } = integration;
    const share = this.places.of(organisationId, organisationId);
    if (!share.take(1)) throw tooMany();
    try {
      return await this.find(integration, AbortSignal.timeout(TOTAL_MS));
    } catch (error) {
      if (error instanceof OutboundError && error.failure === 'aborted')
        return { kind: 'failed', attempts: [] };
      throw error;
    } finally {
      share.give(1);
    }
  }

  private async find(integration: McpIntegrationEntity, signal: AbortSignal): Promise<Discovered> {
    const serverUrl = new URL(integration.url);
    const challenge = await this.challenge(serverUrl, signal);
    const pinned = await pinnedIssuer(this.dataSource.manager, integration);
    const attempt = (pinnedIssuer: string | null) => this.attempt(serverUrl, challenge, pinnedIssuer, signal);
    let found = await attempt(pinned);
    // Retries without the pinned issuer, to report whether the server names another authorization
    // server or none.
    if (found.kind === 'failed' && pinned !== null) {
      const other = await attempt(null);
      if (other.kind === 'found') found = other;
    }
    if (found.kind === 'failed') return { kind: 'failed', attempts: found.attempts };
    const { issuer } = found.server;
    if (pinned !== null && issuerVerdict(pinned, issuer) === 'error')
      return { kind: 'changed', pinned, issuer };
    const demandsProof = challenge?.demandsProof === true || found.resource.demandsProof;
    if (demandsProof && !found.server.proofAlgorithms.includes(PROOF_ALGORITHM))
      return { kind: 'failed', attempts: [{ url: issuer, status: null, reason: NO_PROOFS }] };
    const scopes = scopesFor(integration, challenge, found);
    return {
      kind: 'found',
      authorization: { ...found.server, resource: found.resource.resource, demandsProof, scopes },
    };
  }

  private async attempt(
    serverUrl: URL,
    challenge: BearerChallenge | null,
    pinnedIssuer: string | null,
    signal: AbortSignal,
  ): Promise<Found | Failed> {
    const options = { client: this.http, policy: this.policy, signal };
    const discovery = await discoverAuthorization({
      ...{ ...options, serverUrl, challenge, namedUrls: [], pinnedIssuer },
    });
    if (discovery.kind === 'found') return discovery;
    const { attempts } = discovery;
    // Servers of revision 2025-03-26 are their own authorization servers.
    if (discovery.kind === 'failed' || challenge === null) return { kind: 'failed', attempts };
    const { origin } = serverUrl;
    const resource = { issuer: origin, resource: serverUrl.href, scopes: [], demandsProof: false };
    const own = await discoverIssuer(origin, options);
    if (own.server !== null) return { kind: 'found', resource, server: own.server };
    const isAbsent = own.attempts.every(({ status }) => status === 404);
    return isAbsent && isSecureUrl(serverUrl.href)
      ? { kind: 'found', resource, server: { issuer: origin, ...defaultEndpoints(serverUrl) } }
      : { kind: 'failed', attempts: [...attempts, ...own.attempts] };
  }

  /** Returns the server's challenge to a request without a credential; null when it sends none. */
  private async challenge(serverUrl: URL, signal: AbortSignal): Promise<BearerChallenge | null> {
    try {
      const { status, headers } = await this.http.fetchBuffered({
        ...{ url: serverUrl.href, method: 'POST', body: PING, signal },
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        ...{ totalTimeoutMs: CHALLENGE_MS, bytesMax: CHALLENGE_BYTES_MAX },
      });
      if (status !== 401) return null;
      return readChallenge(headers['www-authenticate'] ?? 'Bearer');
    } catch (error) {
      if (error instanceof OutboundError && error.failure !== 'aborted') return null;
      throw error;
    }
  }
}

const NO_PROOFS = `The server demands tokens bound to a key, and its authorization server does not announce ${PROOF_ALGORITHM} in dpop_signing_alg_values_supported.`;

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** Returns the integration's scopes, else those of the challenge, else those of the server. */
function scopesFor(
  integration: McpIntegrationEntity,
  challenge: BearerChallenge | null,
  { resource, server }: Found,
): readonly string[] {
  const { scopes } = clientSettings(integration);
  if (scopes !== null) return scopes;
  const named = challenge?.scope?.split(' ') ?? resource.scopes;
  // Some servers issue a refresh token only with this scope.
  const offline = server.scopes.includes('offline_access') ? ['offline_access'] : [];
  return [...new Set([...named, ...offline])].filter((scope) => SCOPE.test(scope)).slice(0, SCOPES_MAX);
}

const tooMany = (): GatewayError =>
  new GatewayError('rate_limited', {
    message: 'Too many connections are being prepared at once; try again in a moment.',
    headers: { 'retry-after': '1' },
  });
