import { isLoopbackUrl, isSecureUrl } from '@gw/kernel';
import { createRemoteJWKSet, customFetch as keysFetch, type JWTVerifyGetKey } from 'jose';
import * as client from 'openid-client';
import { readLogoutToken, type ProvidedLogout } from './logout-token';
import { identityOf, type ClaimNames, type OidcIdentity } from './oidc-identity';
import { assertIdToken, SKEW_SECONDS, type Claims } from './id-token';
import { signingKey, type PrivateJwk } from './signing-key';

/** Settings of a connection to an OpenID Connect provider. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly authMethod: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';
  readonly clientSecret: string | null;
  /** Private keys for `private_key_jwt`; the first one signs. */
  readonly keys: readonly PrivateJwk[];
  readonly scopes: readonly string[];
  /** Maximum seconds since the user last authenticated at the provider; null: no bound. */
  readonly maxAge: number | null;
  /** Authentication context classes (`acr`), one of which a login must have; empty: any. */
  readonly acrValues: readonly string[];
  /** Prompt that the provider shows users at each login; null: the provider decides. */
  readonly prompt: 'login' | 'select_account' | 'consent' | null;
  readonly claimNames: ClaimNames;
}

/** Sends requests to providers under the address policy. */
export interface OidcOutbound {
  /** Sends a request and returns its whole response. */
  send(
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Response>;
  /** Returns the rule of the address policy that a URL violates; null when it violates none. */
  fault(url: string): string | null;
}

/** State of a login, stored until the user returns from the provider. */
export interface OidcFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Why a login at a provider failed; the message is for administrators. */
export class OidcFault extends Error {
  override readonly name = 'OidcFault';
}

const SCOPES = ['openid', 'profile', 'email'];
/** Age of the keys from which on the library reads them again for an unknown key id. */
const KEYS_SETTLE_SECONDS = 60;
const KEYS_SECONDS = 300;

/** A client of one provider, configured by the provider's published metadata. */
export class OidcClient {
  /** Keys of the provider as last read, and the time of that read in Unix seconds. */
  private keys: { readonly jwks: client.JWKS; readonly readAt: number } | null = null;

  private constructor(
    private readonly metadata: client.ServerMetadata,
    private readonly settings: OidcSettings,
    private readonly redirectUri: string,
    private readonly configure: (metadata: client.ServerMetadata) => client.Configuration,
    private readonly logoutKeys: JWTVerifyGetKey,
  ) {}

  /**
   * Reads the provider's metadata. Rejects with `OidcFault` when it cannot be read or names another
   * issuer.
   */
  static async discover(
    settings: OidcSettings,
    redirectUri: string,
    outbound: OidcOutbound,
  ): Promise<OidcClient> {
    const authentication = await authenticationOf(settings);
    const isLoopback = isLoopbackUrl(settings.issuer);
    const fetched: client.CustomFetch = (url, init) =>
      outbound.send(url, { ...init, body: bodyOf(init.body) } as Parameters<OidcOutbound['send']>[1]);
    const tolerance = { [client.clockTolerance]: SKEW_SECONDS };
    const extensions = [
      // Check the signature of the ID token, although it arrives over TLS.
      client.enableNonRepudiationChecks,
      ...(isLoopback ? [client.allowInsecureRequests] : []),
    ];
    const configure = (metadata: client.ServerMetadata): client.Configuration => {
      const config = new client.Configuration(metadata, settings.clientId, tolerance, authentication);
      config[client.customFetch] = fetched;
      for (const extend of extensions) extend(config);
      return config;
    };
    try {
      const found = await client.discovery(
        new URL(settings.issuer),
        settings.clientId,
        tolerance,
        authentication,
        {
          [client.customFetch]: fetched,
          execute: extensions,
        },
      );
      const metadata = found.serverMetadata();
      assertEndpoints(metadata, isLoopback, outbound);
      return new OidcClient(metadata, settings, redirectUri, configure, keysOf(metadata, outbound));
    } catch (error) {
      throw faultOf('The metadata of the issuer cannot be used', error);
    }
  }

  /** Starts a login. Returns the URL to redirect the browser to, and the state to store. */
  async begin(loginHint: string | null): Promise<{ readonly url: string; readonly flow: OidcFlow }> {
    const flow = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(this.configure(this.metadata), {
      redirect_uri: this.redirectUri,
      scope: [...new Set([...SCOPES, ...this.settings.scopes])].join(' '),
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      ...this.wishes(),
      ...(loginHint === null ? {} : { login_hint: loginHint }),
    });
    return { url: url.href, flow };
  }

  private wishes(): Readonly<Record<string, string>> {
    const { maxAge, acrValues, prompt } = this.settings;
    return {
      ...(maxAge === null ? {} : { max_age: String(maxAge) }),
      ...(acrValues.length === 0 ? {} : { acr_values: acrValues.join(' ') }),
      ...(prompt === null ? {} : { prompt }),
    };
  }

  /**
   * Completes a login: exchanges the code and checks the ID token. `query` is that of the redirect.
   * Rejects with `OidcFault`.
   */
  async finish(query: string, { state, nonce, verifier }: OidcFlow): Promise<OidcIdentity> {
    const { maxAge, clientId, claimNames, acrValues } = this.settings;
    const config = this.withKeys();
    try {
      const tokens = await client.authorizationCodeGrant(config, new URL(`${this.redirectUri}?${query}`), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(maxAge === null ? {} : { maxAge }),
      });
      this.keepKeys(config);
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new Error('There is no ID token.');
      assertIdToken(tokens.id_token, claims, { accessToken: tokens.access_token, clientId, acrValues });
      const userInfo = await this.userInfo(config, tokens.access_token, claims.sub);
      return identityOf(claims, userInfo, claimNames);
    } catch (error) {
      throw faultOf('The login was refused', error);
    }
  }

  /** Verifies a logout token of the provider. Rejects with `OidcFault`. */
  async logout(token: string): Promise<ProvidedLogout> {
    const { issuer, clientId } = this.settings;
    try {
      return await readLogoutToken(token, { issuer, clientId, key: this.logoutKeys });
    } catch (error) {
      throw faultOf('The logout was refused', error);
    }
  }

  /**
   * Returns the URL at which the user ends the session at the provider; null when the provider has
   * none.
   */
  logoutUrl(subject: string, backTo: string): string | null {
    const { end_session_endpoint: endpoint } = this.metadata;
    if (endpoint === undefined || !isSafeEndpoint(endpoint, this.settings.issuer)) return null;
    return client.buildEndSessionUrl(this.configure(this.metadata), {
      ...{ logout_hint: subject, post_logout_redirect_uri: backTo },
    }).href;
  }

  /**
   * Returns a configuration with the cached keys, marked old enough that the library reads them
   * again for an unknown key. Each such read needs a code that the provider has accepted, so nobody
   * else can cause it.
   */
  private withKeys(): client.Configuration {
    const config = this.configure(this.metadata);
    const { keys } = this;
    if (keys === null || now() - keys.readAt >= KEYS_SECONDS) return config;
    client.setJwksCache(config, { jwks: keys.jwks, uat: now() - KEYS_SETTLE_SECONDS });
    return config;
  }

  private keepKeys(config: client.Configuration): void {
    const read = client.getJwksCache(config);
    if (read === undefined || read.uat <= now() - KEYS_SETTLE_SECONDS) return;
    this.keys = { jwks: read.jwks, readAt: read.uat };
  }

  /**
   * Reads the user info of the same subject, because some providers' ID tokens have no e-mail
   * address.
   */
  private async userInfo(
    config: client.Configuration,
    accessToken: string,
    subject: string,
  ): Promise<Claims> {
    if (this.metadata.userinfo_endpoint === undefined) return {};
    return client.fetchUserInfo(config, accessToken, subject);
  }
}

/** Whether a URL is https, or a loopback http URL of an issuer that is a loopback URL too. */
const isSafe = (url: string, isLoopback: boolean): boolean =>
  isLoopback ? isSecureUrl(url) : url.startsWith('https://');

const isSafeEndpoint = (url: string, issuer: string): boolean => isSafe(url, isLoopbackUrl(issuer));

/**
 * Returns the provider's keys for logout tokens. Anyone may send those, so an unknown key causes a
 * read at most every 30 seconds.
 */
function keysOf({ jwks_uri: uri }: client.ServerMetadata, outbound: OidcOutbound): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(uri ?? ''), {
    cooldownDuration: 30_000,
    [keysFetch]: (url) => outbound.send(url, { method: 'GET', headers: { accept: 'application/json' } }),
  });
}

/**
 * Throws when an endpoint of the code flow is missing, is not https, or is refused by the address
 * policy.
 */
function assertEndpoints(
  metadata: client.ServerMetadata,
  isLoopback: boolean,
  outbound: Pick<OidcOutbound, 'fault'>,
): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const) {
    const url = metadata[name];
    if (url === undefined && name === 'userinfo_endpoint') continue;
    if (url === undefined) throw new Error(`${name} is missing.`);
    if (!isSafe(url, isLoopback)) throw new Error(`${name} is not an https address.`);
    // The authorization endpoint is for browsers, which may reach networks that we must not call.
    const fault = name === 'authorization_endpoint' ? null : outbound.fault(url);
    if (fault !== null) throw new Error(`${name}: ${fault}.`);
  }
}

async function authenticationOf({
  authMethod,
  clientSecret,
  keys,
}: OidcSettings): Promise<client.ClientAuth> {
  switch (authMethod) {
    case 'client_secret_basic':
      return client.ClientSecretBasic(clientSecret ?? '');
    case 'client_secret_post':
      return client.ClientSecretPost(clientSecret ?? '');
    case 'none':
      return client.None();
    case 'private_key_jwt':
      return client.PrivateKeyJwt(await firstOf(keys));
  }
}

async function firstOf([jwk]: readonly PrivateJwk[]): Promise<client.PrivateKey> {
  try {
    if (jwk !== undefined) return await signingKey(jwk);
  } catch (error) {
    throw faultOf('The private key cannot be used', error);
  }
  throw new OidcFault('There is no private key.');
}

const now = (): number => Math.floor(Date.now() / 1_000);

const bodyOf = (body: unknown): string | undefined =>
  typeof body === 'string' ? body : body instanceof URLSearchParams ? body.toString() : undefined;

/**
 * Creates a fault with the cause's message, which names the failed check. Response bodies are
 * omitted, because they may contain secrets.
 */
function faultOf(what: string, error: unknown): OidcFault {
  if (error instanceof OidcFault) return error;
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  const detail = [message, cause instanceof Error ? cause.message : undefined]
    .filter((each) => each !== undefined)
    .join(': ');
  return new OidcFault(`${what}: ${detail.slice(0, 300)}`, { cause: error });
}
