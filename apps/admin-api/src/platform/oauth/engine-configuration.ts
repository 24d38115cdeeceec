import { randomHex } from '@gw/kernel';
import { ID_JAG_PROFILE } from '@gw/oauth';
import type { Adapter, Configuration, ErrorOut, KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import { currentOauthCall } from './oauth-call';
import { pageHeaders } from '../auth/account-pages';
import type { CookieKeys } from './cookie-keys';
import type { OauthAccounts } from './oauth-accounts.service';
import type { OauthClients } from './oauth-clients';
import { NO_STORAGE } from './no-storage';
import { errorPage } from './oauth-pages';
import { OFFLINE, resourceOf, scopesAt } from './oauth-resources';
import type { PrivateJwk } from './signing-keys';
import { oidcErrors } from './oidc-library';

const MINUTE = 60;
const DAY = 86_400;
/** Lifetime of an access token, in seconds. */
export const ACCESS_SECONDS = 60 * MINUTE;
const ASSERTION_SECONDS_MAX = 10 * MINUTE + 15;
/** Path of the page on which users enter the codes of devices. */
export const DEVICE_PAGE = '/oauth/activate';
export const DEVICE_SECONDS = 10 * MINUTE;
/** Routes whose requests name the resource of the token. */
const NAMES_RESOURCE: ReadonlySet<string> = new Set(['authorization', 'device_authorization']);

/** Lifetimes of the engine's artifacts, in seconds. */
const SECONDS = {
  ...{ AuthorizationCode: 10 * MINUTE, AccessToken: ACCESS_SECONDS, RefreshToken: 30 * DAY, Grant: 30 * DAY },
  ...{ DeviceCode: DEVICE_SECONDS, Interaction: 15 * MINUTE, Session: 15 * MINUTE, IdToken: 60 * MINUTE },
};

interface EngineParts {
  readonly issuer: string;
  readonly keys: readonly PrivateJwk[];
  readonly cookieKeys: CookieKeys;
  readonly registration: boolean;
  readonly storageOf: (model: string) => Adapter;
  readonly accounts: OauthAccounts;
  readonly clients: Pick<OauthClients, 'isRegistered'>;
  readonly deviceFlow: boolean;
  /** Whether clients may be documents at URLs. */
  readonly clientDocuments: boolean;
  /** The `fetch` function with which the key sets of clients are read. */
  readonly outbound: NonNullable<Configuration['fetch']>;
}

/**
 * Returns the configuration of the protocol engine. Other code decides what a client may register
 * and what a user may grant.
 */
export function engineConfiguration(parts: EngineParts): Configuration {
  const { issuer, keys, cookieKeys, storageOf, accounts, outbound, clientDocuments } = parts;
  return {
    fetch: outbound,
    assertJwtClientAuthClaimsAndHeader: assertShortLived,
    discovery: {
      client_id_metadata_document_supported: clientDocuments,
      authorization_grant_profiles_supported: [ID_JAG_PROFILE],
    },
    adapter: (model: string) => (model === 'Session' ? NO_STORAGE : storageOf(model)),
    jwks: { keys: keys.map((key) => ({ ...key })) },
    clientDefaults: {
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    responseTypes: ['code'],
    scopes: [OFFLINE],
    pkce: { required: () => true },
    routes: {
      authorization: '/oauth/authorize',
      // The admin API serves this page; the protocol engine only announces its address.
      code_verification: DEVICE_PAGE,
      device_authorization: '/oauth/device',
      introspection: '/oauth/introspect',
      jwks: '/oauth/jwks',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      token: '/oauth/token',
    },
    features: features(parts),
    interactions: {
      url: (_context, interaction) => `${issuer}/oauth/consent?resume_state=${interaction.uid}`,
    },
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    expiresWithSession: () => false,
    ttl: SECONDS,
    formats: { bitsOfOpaqueRandomness: 256 },
    extraTokenClaims: (_context, token) =>
      'grantId' in token && typeof token.grantId === 'string'
        ? accounts.claimsOf(token.grantId, { isBound: 'jkt' in token && token.jkt !== undefined })
        : undefined,
    findAccount: ({ oidc }, id, token) =>
      accounts.find(id, token?.grantId ?? oidc.entities.Grant?.jti ?? oidc.result?.consent?.grantId),
    renderError: (context, out) => {
      renderError(context, out);
    },
    cookies: {
      keys: cookieKeys as unknown as string[],
      short: { httpOnly: true, sameSite: 'lax', secure: issuer.startsWith('https:') },
    },
  };
}

/**
 * Refuses client assertions with a long lifetime, because used assertions are remembered until they
 * expire.
 */
function assertShortLived(_context: unknown, { exp }: { readonly exp?: unknown }): void {
  if (typeof exp !== 'number' || exp > Date.now() / 1_000 + ASSERTION_SECONDS_MAX)
    throw new (oidcErrors().InvalidClientAuth)('exp of client_assertion must be within ten minutes');
}

function features({ issuer, registration, clients, deviceFlow }: EngineParts): Configuration['features'] {
  const off = { enabled: false };
  return {
    ...{
      devInteractions: off,
      userinfo: off,
      rpInitiatedLogout: off,
      claimsParameter: off,
      requestObjects: off,
    },
    pushedAuthorizationRequests: off,
    dPoP: { enabled: true },
    revocation: {
      enabled: true,
      allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
    },
    deviceFlow: {
      enabled: deviceFlow,
      charset: 'base-20',
      mask: '****-****',
      deviceInfo: (context) => ({ ip: currentOauthCall()?.request.clientIp ?? context.ip }),
    },
    introspection: {
      enabled: true,
      // A public client does not authenticate, so it may not introspect tokens.
      allowedPolicy: (_context, client, token) =>
        client.tokenEndpointAuthMethod !== 'none' && token.clientId === client.clientId,
    },
    registration: {
      enabled: registration,
      idFactory: () => `gw_${randomHex(12)}`,
      issueRegistrationAccessToken: false,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (context) => {
        if (NAMES_RESOURCE.has(context.oidc.route))
          throw new (oidcErrors().InvalidTarget)('resource is required: name what the token is for');
        return [];
      },
      useGrantedResource: () => true,
      getResourceServerInfo: async (context, url, client) => {
        const isRegistered = await clients.isRegistered(client.clientId);
        return resourceServer(context, url, { issuer, isRegistered });
      },
    },
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function resourceServer(
  { oidc }: KoaContextWithOIDC,
  url: string,
  { issuer, isRegistered }: { readonly issuer: string; readonly isRegistered: boolean },
): ResourceServer {
  const resource = resourceOf(url, issuer);
  if (resource === null) throw new (oidcErrors().InvalidTarget)('resource is not known here');
  const allowed = scopesAt(resource, isRegistered);
  if (NAMES_RESOURCE.has(oidc.route) && oidc.params !== undefined) {
    const requested = textOf(oidc.params['scope']).split(' ');
    const named = requested.filter((scope) => scope !== OFFLINE && scope !== '');
    const granted = named.length === 0 ? resource.defaultScopes : named.filter((scope) => allowed.has(scope));
    if (granted.length === 0)
      throw new (oidcErrors().InvalidScope)('no scope of the request can be had here', named.join(' '));
    oidc.params['scope'] = [...(requested.includes(OFFLINE) ? [OFFLINE] : []), ...granted].join(' ');
  }
  return resourceServerOf(resource.url, [...allowed]);
}

/** Returns the properties of tokens for a resource. */
export const resourceServerOf = (audience: string, scopes: readonly string[]): ResourceServer => ({
  ...{ scope: scopes.join(' '), audience },
  accessTokenFormat: 'opaque',
  accessTokenTTL: ACCESS_SECONDS,
});

/** Renders an error as a page for a browser, else as RFC 6749 defines it. Never redirects. */
function renderError(context: KoaContextWithOIDC, out: ErrorOut): void {
  const { error, error_description: description } = out;
  if (context.accepts('json', 'html') === 'html') {
    for (const [name, value] of Object.entries(pageHeaders())) context.set(name, value);
    context.body = errorPage(description ?? error);
  } else context.body = { error, error_description: description };
}
