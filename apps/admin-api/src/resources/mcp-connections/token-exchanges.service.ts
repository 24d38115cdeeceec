import type { ClientSecret } from '@gw/contracts';
import { McpIntegrationEntity, UserEntity } from '@gw/entities';
import { isObject, randomHex, signToken, tokenKey, type AddressPolicy } from '@gw/kernel';
import { discoverIssuer } from '@gw/mcp-client';
import { BufferedClient } from '@gw/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import type { UpstreamClient } from '../../platform/mcp/connection-tokens';
import type { McpPlace } from '../../platform/mcp/mcp-places.queries';
import { McpSecrets } from '../../platform/mcp/mcp-secrets.service';
import { TokenEndpoint, type TokenVerdict } from '../../platform/mcp/token-endpoint';
import { SigningKeys } from '../../platform/oauth/signing-keys';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { Granted } from './mcp-connections.service';
import { readScopes } from './upstream-discovery';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TYPE = 'urn:ietf:params:oauth:token-type:';
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
/** Lifetime of an assertion about a user, in seconds. */
const ASSERTION_SECONDS = 120;
const DISCOVERY_MS = 10_000;

/**
 * A token of a user, or the reason why there is none. The reason contains no text from a server.
 */
export type Exchanged =
  | { readonly kind: 'granted'; readonly granted: Granted }
  | { readonly kind: 'failed'; readonly reason: string };

interface Client {
  readonly client: UpstreamClient;
  readonly endpoint: string;
}

/**
 * Obtains users' tokens for upstream servers without the users' consent there, as an administrator
 * has configured it.
 */
@Injectable()
export class TokenExchanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly http: BufferedClient,
    private readonly tokens: TokenEndpoint,
    private readonly keys: SigningKeys,
    private readonly secrets: McpSecrets,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /**
   * Returns a token for the user. Never rejects because of a server's behaviour. Throws
   * `VendorError` when a mapped secret cannot be read.
   */
  async tokenOf({ userId, integrationId }: McpPlace): Promise<Exchanged> {
    const { manager } = this.dataSource;
    const integration = await manager.findOneByOrFail(McpIntegrationEntity, { id: integrationId });
    const user = await manager.findOneByOrFail(UserEntity, { id: userId });
    return integration.authType === 'id_jag'
      ? this.byIdentityAssertion(integration, user)
      : this.byExchange(integration, user);
  }

  /** Obtains a token by token exchange (RFC 8693) at the configured endpoint. */
  private async byExchange(integration: McpIntegrationEntity, user: UserEntity): Promise<Exchanged> {
    const rule = ruleOf(integration, 'token_exchange');
    const at = await this.clientOf(integration, rule);
    const verdict = await this.tokens.request(at.endpoint, at.client, {
      ...{ grant_type: TOKEN_EXCHANGE, requested_token_type: `${TYPE}access_token` },
      ...(await this.subject(at, user)),
      ...membersSet({ audience: rule['audience'], scope: rule['scope'] }),
      resource: textOf(rule['resource']) ?? integration.url,
    });
    return grantedBy(verdict, at, { integration, issuer: new URL(at.endpoint).origin, rule });
  }

  /**
   * Obtains a token by an identity assertion (ID-JAG): the organisation's identity provider asserts
   * the user to the server's authorization server, which issues a token for the assertion.
   */
  private async byIdentityAssertion(integration: McpIntegrationEntity, user: UserEntity): Promise<Exchanged> {
    const rule = ruleOf(integration, 'id_jag');
    const issuer = String(rule['issuer']);
    const options = { client: this.http, policy: this.policy, signal: AbortSignal.timeout(DISCOVERY_MS) };
    const { server } = await discoverIssuer(issuer, options);
    if (server === null) return failed('The authorization server of the MCP server cannot be used.');
    if (rule['allow_unannounced'] !== true && !server.grantProfiles.includes(ID_JAG_PROFILE))
      return failed('The authorization server of the MCP server does not announce that it takes assertions.');
    const provider = await this.clientOf(integration, rule);
    const assertion = await this.tokens.assertion(provider.endpoint, provider.client, `${TYPE}id-jag`, {
      ...{ grant_type: TOKEN_EXCHANGE, requested_token_type: `${TYPE}id-jag` },
      ...(await this.subject(provider, user)),
      ...{ audience: issuer, resource: integration.url, ...membersSet({ scope: rule['scope'] }) },
    });
    if (assertion.kind === 'failed') return assertion;
    const client = await this.serverClientOf(integration, rule);
    const verdict = await this.tokens.request(server.tokenEndpoint, client, {
      ...{ grant_type: JWT_BEARER, assertion: assertion.token },
      ...{ resource: integration.url, ...membersSet({ scope: rule['scope'] }) },
    });
    return grantedBy(verdict, { client, endpoint: server.tokenEndpoint }, { integration, issuer, rule });
  }

  /** Returns a signed assertion about the user, for one token endpoint and one client. */
  private async subject({ endpoint, client }: Client, user: UserEntity): Promise<Record<string, string>> {
    const [current] = (await this.keys.read()).keys;
    if (current === undefined) throw new Error('An installation has a signing key.');
    const now = Math.floor(Date.now() / 1_000);
    const token = signToken(tokenKey(current), {
      ...{ iss: this.settings.PUBLIC_URL, aud: endpoint, sub: user.id, email: user.email },
      ...{ client_id: client.id, iat: now, exp: now + ASSERTION_SECONDS, jti: randomHex(32) },
    });
    return { subject_token: token, subject_token_type: `${TYPE}jwt` };
  }

  private async clientOf(integration: McpIntegrationEntity, rule: Rule): Promise<Client> {
    const endpoint = String(rule['token_endpoint']);
    if (rule['auth_method'] === 'private_key_jwt')
      return { client: signingClient(integration, rule), endpoint };
    const secret = await this.secrets.clientSecret(integration);
    return { client: clientFor(rule['client_id'], secret, rule['auth_method']), endpoint };
  }

  private async serverClientOf(integration: McpIntegrationEntity, rule: Rule): Promise<UpstreamClient> {
    const name: ClientSecret = 'server_client_secret';
    const secret = await this.secrets.clientSecret(integration, name);
    return clientFor(rule['server_client_id'], secret, rule['server_auth_method']);
  }
}

type Rule = Readonly<Record<string, unknown>>;

function ruleOf({ configurations }: McpIntegrationEntity, name: 'token_exchange' | 'id_jag'): Rule {
  const rule = configurations[name];
  return isObject(rule) ? rule : {};
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the members that are set. */
const membersSet = (members: Rule): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const text = textOf(value);
      return text === null ? [] : [[name, text]];
    }),
  );

const clientFor = (id: unknown, secret: string | null, method: unknown): UpstreamClient => ({
  id: String(id),
  secret,
  authMethod:
    secret === null ? 'none' : method === 'client_secret_post' ? 'client_secret_post' : 'client_secret_basic',
});

const signingClient = ({ id: integrationId }: McpIntegrationEntity, rule: Rule): UpstreamClient => ({
  ...{ id: String(rule['client_id']), secret: null, authMethod: 'private_key_jwt' },
  signed: { integrationId, issuer: String(rule['issuer']), announced: [] },
});

const failed = (reason: string): Exchanged => ({ kind: 'failed', reason });

const REFUSED = {
  needs_consent: 'The token endpoint refused the user.',
  unknown_client: 'The token endpoint refused the client.',
} as const;

function grantedBy(
  verdict: TokenVerdict,
  { client, endpoint }: Client,
  of: { readonly integration: McpIntegrationEntity; readonly issuer: string; readonly rule: Rule },
): Exchanged {
  if (verdict.kind === 'failed') return verdict;
  if (verdict.kind !== 'refreshed') return failed(REFUSED[verdict.kind]);
  const { accessToken, expiresIn, scopes } = verdict;
  // The client's secret stays with the integration and is not stored with the tokens.
  const clientWithoutSecret = { ...client, secret: null };
  const tokens = {
    ...{
      accessToken,
      refreshToken: null,
      client: clientWithoutSecret,
      tokenEndpoint: endpoint,
      revocationEndpoint: null,
    },
    resource: of.integration.url,
  };
  const requestedScopes = readScopes(textOf(of.rule['scope']) ?? '');
  return {
    kind: 'granted',
    granted: { tokens, issuer: of.issuer, scopes: scopes ?? requestedScopes, expiresIn },
  };
}
