import {
  clientKeyForm,
  isObject,
  keyProof,
  readNonce,
  readProofKey,
  VendorError,
  type ProofKeyText,
} from '@gw/kernel';
import { refreshVerdict, type JsonObject, type RefreshVerdict } from '@gw/mcp';
import { BufferedClient, OutboundError, type BufferedResponse } from '@gw/outbound';
import { Injectable } from '@nestjs/common';
import type { ConnectionTokens, UpstreamClient } from './connection-tokens';
import { McpSecrets } from './mcp-secrets.service';

/** Timeout of a call to a token or revocation endpoint, in milliseconds. */
export const TOKEN_TIMEOUT_MS = 10_000;
const BYTES_MAX = 65_536;
/** Maximum number of scopes that are requested or read. */
export const SCOPES_MAX = 200;
/** Matches a scope (RFC 6749, section 3.3). */
export const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
const TOKEN_MAX = 16_384;

export type TokenVerdict =
  | (Extract<RefreshVerdict, { kind: 'refreshed' }> & {
      /** Granted scopes; null when they are the requested ones. */
      readonly scopes: readonly string[] | null;
    })
  /** The user's grant has ended; the user must consent again. */
  | { readonly kind: 'needs_consent' }
  /** The server does not know the client or no longer accepts its secret. */
  | { readonly kind: 'unknown_client' }
  /** Another failure. `reason` never contains text from the server. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * An assertion about a user, or the reason why there is none. `reason` never contains text from the
 * server.
 */
export type AssertionVerdict =
  | { readonly kind: 'asserted'; readonly token: string }
  | { readonly kind: 'failed'; readonly reason: string };

type Members = Readonly<Record<string, string>>;

/**
 * Calls token and revocation endpoints of upstream authorization servers, under the address policy
 * and without redirects.
 */
@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly http: BufferedClient,
    private readonly secrets: McpSecrets,
  ) {}

  /**
   * Requests a token, which must be bound to `proofKey` if that is given. Never rejects because of
   * the server's behaviour.
   */
  async request(
    endpoint: string,
    client: UpstreamClient,
    parameters: Members,
    proofKey?: ProofKeyText,
  ): Promise<TokenVerdict> {
    try {
      const send = (proof: Members) => this.post(endpoint, client, parameters, proof);
      const { status, body } =
        proofKey === undefined ? await send({}) : await proven(endpoint, proofKey, send);
      return verdictOf(status, readJson(body), proofKey === undefined ? 'bearer' : 'dpop');
    } catch (error) {
      if (error instanceof VendorError) return failed(`The client cannot authenticate. ${error.message}`);
      if (!(error instanceof OutboundError)) throw error;
      return failed(`The token endpoint did not respond (${error.failure}).`);
    }
  }

  /**
   * Requests an assertion of the type from an identity provider (RFC 8693). Never rejects because
   * of the server's behaviour.
   */
  async assertion(
    endpoint: string,
    client: UpstreamClient,
    type: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<AssertionVerdict> {
    try {
      const { status, body } = await this.post(endpoint, client, parameters);
      const read = readJson(body) ?? {};
      const { issued_token_type: issued, access_token: token } = read;
      if (status !== 200) return notAsserted(`The identity provider responded with ${String(status)}.`);
      if (issued !== type || typeof token !== 'string' || token === '' || token.length > TOKEN_MAX)
        return notAsserted('The identity provider issued no assertion of the type.');
      return { kind: 'asserted', token };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return notAsserted(`The identity provider did not respond (${error.failure}).`);
    }
  }

  /**
   * Revokes the tokens of a connection. Revoking the refresh token also ends its access tokens.
   * Returns whether the server accepted the revocation.
   */
  async revoke({
    revocationEndpoint,
    client,
    accessToken,
    refreshToken,
  }: ConnectionTokens): Promise<boolean> {
    if (revocationEndpoint === null) return false;
    const hint = refreshToken === null ? 'access_token' : 'refresh_token';
    try {
      const { status } = await this.post(revocationEndpoint, client, {
        ...{ token: refreshToken ?? accessToken, token_type_hint: hint },
      });
      return status === 200;
    } catch (error) {
      if (error instanceof OutboundError || error instanceof VendorError) return false;
      throw error;
    }
  }

  /** Throws `VendorError` when a client cannot authenticate. */
  async assertAuthenticates(client: UpstreamClient): Promise<void> {
    await this.authenticationOf(client);
  }

  private async post(
    url: string,
    client: UpstreamClient,
    parameters: Members,
    proof: Members = {},
  ): Promise<BufferedResponse> {
    const { headers, form: authentication } = await this.authenticationOf(client);
    const form = new URLSearchParams({ ...parameters, ...authentication });
    return this.http.fetchBuffered({
      ...{
        url,
        method: 'POST',
        body: form.toString(),
        totalTimeoutMs: TOKEN_TIMEOUT_MS,
        bytesMax: BYTES_MAX,
      },
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
        ...proof,
      },
    });
  }

  /** Returns the headers and form members that authenticate a client. Throws `VendorError`. */
  private async authenticationOf({
    id,
    secret: saved,
    authMethod,
    mapped,
    signed,
  }: UpstreamClient): Promise<{ readonly headers: Members; readonly form: Members }> {
    if (authMethod === 'private_key_jwt') return { headers: {}, form: await this.assertionOf(id, signed) };
    const secret = mapped === undefined ? saved : await this.secrets.secretFor(mapped);
    if (secret === null) return { headers: {}, form: { client_id: id } };
    return authMethod === 'client_secret_basic'
      ? { headers: { authorization: basic(id, secret) }, form: {} }
      : { headers: {}, form: { client_id: id, client_secret: secret } };
  }

  private async assertionOf(clientId: string, source: UpstreamClient['signed']): Promise<Members> {
    if (source === undefined) throw new VendorError('refused', 'The client has no key.');
    const { text, keyId, algorithm } = await this.secrets.keyFor(source);
    const { issuer, announced } = source;
    return clientKeyForm(text, { clientId, issuer, keyId, algorithm, announced, now: Date.now() });
  }
}

/**
 * Sends a request with a proof of possession of the key, and once more when the server requires a
 * nonce in the proof (RFC 9449, section 8).
 */
async function proven(
  url: string,
  keyText: ProofKeyText,
  send: (proof: Members) => Promise<BufferedResponse>,
): Promise<BufferedResponse> {
  const key = readProofKey(keyText);
  const proof = (nonce: string | null): Members => ({
    dpop: keyProof(key, { method: 'POST', url, accessToken: null, nonce, now: Date.now() }),
  });
  const first = await send(proof(null));
  const isRefused = first.status === 400 || first.status === 401;
  const nonce = isRefused ? readNonce(first.headers['dpop-nonce']) : null;
  if (nonce === null || readJson(first.body)?.['error'] !== 'use_dpop_nonce') return first;
  return send(proof(nonce));
}

function verdictOf(
  status: number,
  read: Readonly<Record<string, unknown>> | null,
  wanted: 'bearer' | 'dpop',
): TokenVerdict {
  if (read === null) return failed(`The token endpoint responded with ${String(status)} and no JSON.`);
  if (status >= 400 && status < 500 && read['error'] === 'invalid_client') return { kind: 'unknown_client' };
  const verdict = refreshVerdict(status, read);
  if (verdict.kind === 'failed') return failed(`The token endpoint responded with ${String(status)}.`);
  if (verdict.kind === 'needs_consent') return verdict;
  const { token_type: type, scope } = read;
  // A bearer token in place of a bound one is refused, because anyone who obtains it could use it.
  if (typeof type !== 'string' || type.toLowerCase() !== wanted)
    return failed(
      wanted === 'dpop'
        ? 'The token endpoint issued no token that is bound to a key.'
        : 'The token endpoint issued no bearer token.',
    );
  return { ...verdict, scopes: typeof scope === 'string' ? scopesIn(scope) : null };
}

const failed = (reason: string): TokenVerdict => ({ kind: 'failed', reason });
const notAsserted = (reason: string): AssertionVerdict => ({ kind: 'failed', reason });

/** Returns an HTTP Basic header. Both parts are form-encoded first (RFC 6749, section 2.3.1). */
function basic(id: string, secret: string): string {
  const part = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${part(id)}:${part(secret)}`).toString('base64')}`;
}

function readJson(body: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const scopesIn = (text: string): readonly string[] =>
  text
    .slice(0, 16_384)
    .split(' ')
    .filter((scope) => SCOPE.test(scope))
    .slice(0, SCOPES_MAX);
