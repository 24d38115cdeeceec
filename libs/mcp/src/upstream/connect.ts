import { digestOf, isVisibleAscii, MINUTE_MS } from '@gw/kernel';
import { timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../protocol';
import { own } from '../rpc/message';

/**
 * Returns the binding with which the tokens in a connection's document are sealed, so that a
 * document copied to another user does not open.
 */
export const connectionBinding = (owner: {
  readonly organisationId: string;
  readonly serverId: string;
  /** Id of the user; null for the connection that all users share. */
  readonly userId: string | null;
}): string =>
  `mcp/connection/${digestOf('mcp/connection', [owner.organisationId, owner.serverId, owner.userId])}`;

export const TICKET_LIFETIME_MS = 10 * MINUTE_MS;

/** The stored row of a connect link. Times are milliseconds since 1970. */
export interface ConnectTicket {
  readonly userId: string;
  readonly serverId: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

/** Whether a link may continue to the authorization server. `other_user` is audited. */
export type TicketVerdict = 'ok' | 'unknown' | 'expired' | 'used' | 'other_user';

/**
 * Judges a connect link of `{console}/connect/{server}`. It is valid for ten minutes, once, and
 * only for its user and server. The caller marks it as used in one conditional update.
 */
export function ticketVerdict(
  ticket: ConnectTicket | null,
  visit: { readonly userId: string; readonly serverId: string; readonly now: number },
): TicketVerdict {
  if (ticket?.serverId !== visit.serverId) return 'unknown';
  if (ticket.userId !== visit.userId) return 'other_user';
  if (ticket.usedAt !== null) return 'used';
  return visit.now >= ticket.createdAt + TICKET_LIFETIME_MS ? 'expired' : 'ok';
}

/**
 * Authorization request that the control plane stored before it sent a browser to an authorization
 * server.
 */
export interface PendingAuthorization {
  readonly state: string;
  readonly issuer: string;
  /** Whether the issuer announces `iss`, so that a callback without it is refused (RFC 9207). */
  readonly sendsIssuer: boolean;
  /** Digest of the cookie of the browser that started the authorization. */
  readonly browser: string;
  readonly expiresAt: number;
}

export type CallbackVerdict =
  | { readonly kind: 'exchange'; readonly code: string }
  /**
   * The user or the authorization server refused. The message contains at most 64 letters, digits
   * and `_.-` of the query. An existing connection stays unchanged.
   */
  | { readonly kind: 'needs_consent'; readonly message: string }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Judges the callback of an upstream authorization: it needs the exact state, the same browser and
 * the same issuer.
 */
export function callbackVerdict(
  query: JsonObject,
  pending: PendingAuthorization | null,
  visit: {
    /** Digest of the cookie of the browser that returns. */
    readonly browser: string;
    readonly now: number;
  },
): CallbackVerdict {
  const refused = (reason: string): CallbackVerdict => ({ kind: 'refused', reason });
  if (pending === null || !isSame(own(query, 'state'), pending.state))
    return refused('The state is not known.');
  if (!isSame(visit.browser, pending.browser))
    return refused('The connection was started in another browser.');
  if (visit.now >= pending.expiresAt) return refused('The connection took too long; start again.');
  const issuer = own(query, 'iss');
  if (issuer === undefined ? pending.sendsIssuer : issuer !== pending.issuer)
    return refused('The response is of another authorization server.');
  const error = own(query, 'error');
  if (error !== undefined) return { kind: 'needs_consent', message: errorText(error) };
  const code = own(query, 'code');
  return typeof code === 'string' && code !== '' && code.length <= 4_096
    ? { kind: 'exchange', code }
    : refused('The response has no code.');
}

const errorText = (error: unknown): string =>
  error === 'access_denied'
    ? 'The connection was declined.'
    : `The authorization server refused the connection: ${String(error)
        .replace(/[^\w.-]/g, '')
        .slice(0, 64)}`;

function isSame(one: unknown, other: string): boolean {
  if (typeof one !== 'string' || one === '') return false;
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Outcome of a request to a token endpoint with a refresh token or an authorization code. */
export type RefreshVerdict =
  | {
      readonly kind: 'refreshed';
      readonly accessToken: string;
      /**
       * The new refresh token; null when the server sent none. After a refresh, the old one stays
       * valid.
       */
      readonly refreshToken: string | null;
      /** Lifetime of the access token in seconds. */
      readonly expiresIn: number;
    }
  /**
   * The grant is invalid. After a refresh, the connection gets the status `needs_consent`, and the
   * next call returns a connect link.
   */
  | { readonly kind: 'needs_consent' }
  /** The response is no evidence about the grant; the tokens stay. */
  | { readonly kind: 'failed' };

const GRANT_ERRORS: readonly unknown[] = ['invalid_grant', 'unauthorized_client', 'interaction_required'];
const EXPIRES_DEFAULT = 3_600;
const EXPIRES_MAX = 31_536_000;
const TOKEN_MAX = 16_384;

/**
 * Reads the response to a request with a refresh token or an authorization code (RFC 6749, sections
 * 4.1.4, 5 and 6).
 */
export function refreshVerdict(status: number, body: JsonObject): RefreshVerdict {
  if (status >= 400 && status < 500 && GRANT_ERRORS.includes(own(body, 'error')))
    return { kind: 'needs_consent' };
  const accessToken = own(body, 'access_token');
  if (status !== 200 || !isToken(accessToken)) return { kind: 'failed' };
  const [refreshToken, expiresIn] = [own(body, 'refresh_token'), own(body, 'expires_in')];
  return {
    kind: 'refreshed',
    accessToken,
    refreshToken: isToken(refreshToken) ? refreshToken : null,
    expiresIn: lifetimeOf(expiresIn),
  };
}

/** Reads `expires_in`, which some servers send as a text. */
function lifetimeOf(expiresIn: unknown): number {
  const isText = typeof expiresIn === 'string' && /^\d{1,10}$/.test(expiresIn);
  const seconds = isText ? Number(expiresIn) : expiresIn;
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, EXPIRES_MAX) : EXPIRES_DEFAULT;
}

const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TOKEN_MAX && isVisibleAscii(value);
