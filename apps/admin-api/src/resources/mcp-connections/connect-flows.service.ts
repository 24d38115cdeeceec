import { UserEntity, type McpConnectTicketEntity } from '@gw/entities';
import { GatewayError, newProofKey, VendorError } from '@gw/kernel';
import { callbackVerdict, ticketVerdict, type CallbackVerdict, type JsonObject } from '@gw/mcp';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { FailureThrottle } from '../../platform/auth/failure-throttle';
import type { RequestFacts } from '../../platform/common/principal';
import type { UpstreamClient } from '../../platform/mcp/connection-tokens';
import type { McpPlace } from '../../platform/mcp/mcp-places.queries';
import { TokenEndpoint, type TokenVerdict } from '../../platform/mcp/token-endpoint';
import type { ConnectView } from './connect-pages';
import { ConnectTickets, type TicketContent } from './connect-tickets';
import { ConnectUrls } from './connect-urls';
import { McpConnections, type ConnectRefusal } from './mcp-connections.service';
import { UpstreamClients } from './upstream-clients';
import { clientSettings, UpstreamDiscovery, type UpstreamAuthorization } from './upstream-discovery';

/**
 * Maximum number of refusals of one link per minute that are recorded; further ones are refused
 * without a record.
 */
const RECORDED_MAX = 20;

/** Visit of a link by a user who has signed in on its page. */
export interface Visit {
  readonly serverId: string;
  readonly ticket: string;
  readonly userId: string;
  readonly request: RequestFacts;
}

interface OpenLink {
  readonly row: McpConnectTicketEntity;
  readonly place: McpPlace;
}

/** Takes users from a link to a connection with an upstream MCP server. */
@Injectable()
export class ConnectFlows {
  private readonly refusals = new FailureThrottle(RECORDED_MAX);

  constructor(
    private readonly dataSource: DataSource,
    private readonly tickets: ConnectTickets,
    private readonly discovery: UpstreamDiscovery,
    private readonly clients: UpstreamClients,
    private readonly connections: McpConnections,
    private readonly tokens: TokenEndpoint,
    private readonly urls: ConnectUrls,
  ) {}

  /** Throws `validation_failed` for a link that is invalid, used or expired. */
  async assertUsable(serverId: string, ticket: string): Promise<void> {
    const row = await this.tickets.find(ticket);
    const visit = { serverId, userId: row?.userId ?? '', now: Date.now() };
    if (ticketVerdict(factsOf(row), visit) !== 'ok') throw unusable();
  }

  /**
   * Returns the contents of the page before the browser continues. Throws `forbidden` for a user
   * other than that of the link, and `validation_failed` for a link that cannot be used and for an
   * upstream without a sign-in.
   */
  async view(visit: Visit): Promise<Omit<ConnectView, 'fields'>> {
    const link = await this.linkOf(visit);
    const { authorization } = this.tickets.open(link.row) ?? (await this.prepare(link, visit.request));
    const integration = await this.connections.integrationOf(link.place);
    const { email } = await this.dataSource.manager.findOneByOrFail(UserEntity, { id: visit.userId });
    return {
      serverName: link.place.serverName,
      upstreamHost: new URL(integration.url).host,
      scopes: authorization.scopes,
      nextHost: new URL(authorization.authorizationEndpoint).host,
      email,
    };
  }

  /**
   * Uses the link and returns the URL of the authorization server. Throws as `view` does. `browser`
   * is the digest of the browser's cookie.
   */
  async begin(visit: Visit, browser: string): Promise<string> {
    const link = await this.linkOf(visit);
    const content = this.tickets.open(link.row);
    if (content === null) throw unusable();
    const { authorization } = content;
    const client = await this.clientFor(link.place, authorization, visit.request);
    const begun = {
      state: randomBytes(32).toString('base64url'),
      verifier: randomBytes(32).toString('base64url'),
      ...{ browser, client, redirectUri: this.urls.callback },
    };
    if (!(await this.tickets.begin(link.row, { authorization, begun }))) throw unusable();
    return authorizationUrl(authorization, begun);
  }

  /**
   * Finishes the sign-in with which an authorization server has returned the browser, and returns
   * the name of the server. Throws `validation_failed` and `forbidden`. The messages contain
   * nothing of the query except, for an error of the authorization server, its code: at most 64
   * letters, digits and `_.-`.
   */
  async finish(query: JsonObject, browser: string, request: RequestFacts): Promise<string> {
    const { row, place, content } = await this.signInOfState(query['state']);
    const verdict = judge(query, row, content, browser);
    // A return in another browser must not end this browser's sign-in.
    const isOver = verdict.kind !== 'refused' || verdict.reason === MIX_UP;
    if (isOver && !(await this.tickets.end(row))) throw unusable();
    if (verdict.kind !== 'exchange') {
      const reason = verdict.kind === 'refused' ? verdict.reason : verdict.message;
      throw await this.refuse(place, request, { reason });
    }
    await this.exchange(verdict.code, content, place, request);
    return place.serverName;
  }

  /** Returns the sign-in that a state identifies. */
  private async signInOfState(
    state: unknown,
  ): Promise<OpenLink & { readonly content: Required<TicketContent> }> {
    const row = typeof state === 'string' ? await this.tickets.ofState(state.slice(0, 128)) : null;
    if (row === null) throw unusable();
    const { authorization, begun } = this.tickets.open(row) ?? {};
    const place = await this.connections.placeOf(row.serverId, row.userId);
    if (authorization === undefined || begun === undefined || place === null) throw unusable();
    return { row, place, content: { authorization, begun } };
  }

  /**
   * Returns the client with which the user signs in. Throws `forbidden` when there is none, and when
   * it cannot authenticate, so that the user is not sent to the server in vain.
   */
  private async clientFor(
    place: McpPlace,
    authorization: UpstreamAuthorization,
    request: RequestFacts,
  ): Promise<UpstreamClient> {
    const integration = await this.connections.integrationOf(place);
    try {
      const client = await this.clients.clientOf(integration, authorization);
      if (client === null) throw await this.refuse(place, request, NO_CLIENT);
      await this.tokens.assertAuthenticates(client);
      return client;
    } catch (error) {
      if (!(error instanceof VendorError)) throw error;
      throw await this.refuse(place, request, { ...BAD_CLIENT, reason: error.message });
    }
  }

  private async exchange(
    code: string,
    { authorization, begun: { client, verifier, redirectUri } }: Required<TicketContent>,
    place: McpPlace,
    request: RequestFacts,
  ): Promise<void> {
    const { tokenEndpoint, revocationEndpoint, resource, issuer } = authorization;
    const proofKey = authorization.demandsProof ? await newProofKey() : undefined;
    const parameters = {
      ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
      ...{ code_verifier: verifier, resource },
    };
    const granted = await this.tokens.request(tokenEndpoint, client, parameters, proofKey);
    if (granted.kind !== 'refreshed') {
      if (granted.kind === 'unknown_client') await this.clients.forget(place.integrationId, issuer);
      throw await this.refuse(place, request, exchangeFailure(granted));
    }
    const integration = await this.connections.integrationOf(place);
    const allowed = clientSettings(integration).scopes;
    const scopes = granted.scopes ?? authorization.scopes;
    if (allowed !== null && scopes.some((scope) => !allowed.includes(scope)))
      throw await this.refuse(place, request, TOO_MUCH);
    const { accessToken, refreshToken, expiresIn } = granted;
    const tokens = {
      ...{ accessToken, refreshToken, client, tokenEndpoint, revocationEndpoint, resource },
      ...(proofKey !== undefined && { proofKey }),
    };
    await this.connections.save(place, request, { tokens, issuer, scopes, expiresIn });
  }

  /** Returns the link of a visit. Throws unless the visitor is the link's user. */
  private async linkOf({ serverId, ticket, userId, request }: Visit): Promise<OpenLink> {
    const row = await this.tickets.find(ticket);
    const verdict = ticketVerdict(factsOf(row), { serverId, userId, now: Date.now() });
    if (row === null || (verdict !== 'ok' && verdict !== 'other_user')) throw unusable();
    const place = await this.connections.placeOf(serverId, row.userId);
    if (place === null) throw unusable();
    if (verdict === 'other_user')
      throw await this.refuse(place, request, { ...OTHER_USER, visitorId: userId });
    return { row, place };
  }

  /** Discovers where the user signs in, and stores it with the link. */
  private async prepare({ row, place }: OpenLink, request: RequestFacts): Promise<TicketContent> {
    const found = await this.discovery.discover(await this.connections.integrationOf(place));
    if (found.kind === 'changed') {
      const { pinned, issuer } = found;
      await this.connections.suspend(place, request, { issuer, pinned_issuer: pinned });
      throw new GatewayError('forbidden', { message: CHANGED });
    }
    if (found.kind === 'failed') {
      const attempts = found.attempts.slice(0, 10);
      throw await this.refuse(place, request, { ...NOT_FOUND, detail: { attempts } });
    }
    const { authorization } = found;
    const scopes = [...new Set([...authorization.scopes, ...(await this.connections.wantedScopes(place))])];
    const content = { authorization: { ...authorization, scopes } };
    await this.tickets.keep(row, content);
    return content;
  }

  private async refuse(
    place: McpPlace,
    request: RequestFacts,
    refusal: ConnectRefusal,
  ): Promise<GatewayError> {
    const error = new GatewayError('forbidden', { message: refusal.message ?? refusal.reason });
    const isCounted = this.refusals.countIfOpen(`${place.serverId}:${place.userId}`);
    if (isCounted) await this.connections.recordRefusal(place, request, error, refusal);
    return error;
  }
}

const MIX_UP = 'The response is of another authorization server.';

const factsOf = (row: McpConnectTicketEntity | null): Parameters<typeof ticketVerdict>[0] =>
  row && {
    ...{ userId: row.userId, serverId: row.serverId, createdAt: row.createdAt.getTime() },
    usedAt: row.step === 'open' ? null : row.createdAt.getTime(),
  };

const judge = (
  query: JsonObject,
  { expiresAt }: McpConnectTicketEntity,
  { authorization, begun }: Required<TicketContent>,
  browser: string,
): CallbackVerdict =>
  callbackVerdict(
    query,
    { ...begun, ...authorization, expiresAt: expiresAt.getTime() },
    { browser, now: Date.now() },
  );

function authorizationUrl(
  { authorizationEndpoint, resource, scopes }: UpstreamAuthorization,
  { client, redirectUri, state, verifier }: Required<TicketContent>['begun'],
): string {
  const url = new URL(authorizationEndpoint);
  const parameters = {
    ...{ response_type: 'code', client_id: client.id, redirect_uri: redirectUri, state, resource },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    // Without this parameter, OpenID Connect servers ignore offline_access.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

const unusable = (): GatewayError =>
  invalid('t', 'The link is not valid, was used already, or has expired. Request a new one.');

const REFUSED = {
  needs_consent: 'The token endpoint refused the code.',
  unknown_client: 'The token endpoint refused the client.',
} as const;

const exchangeFailure = (verdict: Exclude<TokenVerdict, { kind: 'refreshed' }>): ConnectRefusal => ({
  reason: verdict.kind === 'failed' ? verdict.reason : REFUSED[verdict.kind],
  message: 'The authorization server issued no token. Request a new link and try again.',
});

const OTHER_USER: ConnectRefusal = {
  reason: 'A link was opened by another user.',
  message: 'This link was made for another user. Open a link only if you requested it yourself.',
};
const NO_CLIENT: ConnectRefusal = {
  reason: 'The authorization server offers no way to register a client.',
  message: 'The server needs a client that an administrator registers. Ask the administrator for a client.',
};
const BAD_CLIENT = {
  message:
    'The client for this MCP server cannot be used. Ask your administrator, who finds the reason in the audit log.',
} as const;
const NOT_FOUND: ConnectRefusal = {
  reason: 'The authorization server cannot be used.',
  message:
    'The authorization server of this MCP server cannot be used. Ask your administrator, who finds the reason in the audit log.',
};
const CHANGED =
  'The MCP server names another authorization server than before. Ask your administrator to confirm it.';
const TOO_MUCH: ConnectRefusal = {
  reason: 'The authorization server granted more scopes than the integration allows.',
};
