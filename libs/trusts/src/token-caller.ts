import { scopesAllowedFor, canonicalScope } from '@gw/auth-scopes';
import type { TrustMap, TrustRule } from '@gw/contracts';
import { isObject, pointed } from '@gw/kernel';
import { holds } from './claim-conditions';
import { needsNoUser } from './presets';
import { limitsOf, NO_LIMITS, type TokenLimits } from './token-limits';
import { claimFault, CONTROL, TokenFault } from './trust-token';

type Claims = Readonly<Record<string, unknown>>;

/** Workspace, rights and limits that a verified token gives its caller. */
export interface TokenCaller {
  readonly workspace: { readonly id: string } | { readonly slug: string };
  readonly scopes: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * Names the user in logs, and with the trust the counters of the token's limits: `email_id`, or
   * else `sub`.
   */
  readonly userId: string;
  /** Slug or id of a config; null without one. */
  readonly config: string | null;
  readonly limits: TokenLimits;
}

const ENTRIES_MAX = 20;
const CHARACTERS_MAX = 128;
const USER_MAX = 256;

/**
 * Checks claims, verified or not, against a trust's organisation and conditions. Throws
 * `TokenFault`.
 */
export function checkConditions(
  rule: Pick<TrustRule, 'organisationId' | 'conditions' | 'preset' | 'issuer'>,
  claims: Claims,
): void {
  const organisation = claims['gw_oid'] ?? claims['organisation_id'];
  if (organisation !== undefined && organisation !== rule.organisationId) {
    throw new TokenFault('organisation', 'The token is for another organisation.');
  }
  const failed = rule.conditions.find((condition) => !holds(condition, claims));
  if (failed !== undefined)
    throw new TokenFault('conditions', `The claim ${failed.claim} does not meet the trust.`);
  if (claims['scp'] !== undefined && needsNoUser(rule)) {
    throw new TokenFault(
      'conditions',
      'The token acts for a user, since it has scp; the trust needs a condition on /scp to accept it.',
    );
  }
}

/**
 * Returns the caller that the first matching map of a trust defines for a verified token. Throws
 * `TokenFault`.
 */
export function callerOf(rule: TrustRule, claims: Claims): TokenCaller {
  const map = rule.maps.find(({ conditions }) => conditions.every((condition) => holds(condition, claims)));
  if (map === undefined) throw new TokenFault('map', 'No map of the trust fits the token.');
  // A workload's platform sets the claims of its token, so only the map decides its rights.
  const isOwn = rule.tokenKind === 'jwt';
  return {
    workspace: workspaceOf(map, isOwn ? claims : {}),
    scopes: scopesOf(map, isOwn ? claims : {}),
    metadata: { ...(isOwn ? ownMetadata(claims) : {}), ...mappedMetadata(map, claims) },
    userId: userOf(claims),
    config: isOwn ? configOf(claims) : null,
    limits: isOwn ? limitsOf(claims) : NO_LIMITS,
  };
}

function workspaceOf({ workspaceId }: TrustMap, claims: Claims): TokenCaller['workspace'] {
  if (workspaceId !== null) return { id: workspaceId };
  const slug = claims['gw_workspace'] ?? claims['workspace_slug'];
  if (typeof slug === 'string' && slug !== '' && slug.length <= 255 && !CONTROL.test(slug)) return { slug };
  throw new TokenFault('map', 'The token names no workspace: it needs the claim gw_workspace.');
}

/**
 * Returns the map's scopes that tokens can hold, reduced to those that the token names, if it names
 * any.
 */
function scopesOf({ scopes }: TrustMap, claims: Claims): readonly string[] {
  const allowed = scopesAllowedFor('jwt');
  const most = scopes.filter((scope) => allowed.has(scope));
  const named = claims['scope'] ?? claims['scopes'];
  if (named === undefined) return most;
  const list: readonly unknown[] = Array.isArray(named)
    ? named
    : typeof named === 'string'
      ? named.split(' ')
      : [];
  const wanted = new Set(list.map((scope) => canonicalScope(String(scope).replace(/^(?:gw|portkey)\./, ''))));
  return most.filter((scope) => wanted.has(scope));
}

function userOf(claims: Claims): string {
  const named = ['email_id', 'sub', 'uid'].flatMap((name) => {
    const { [name]: user } = claims;
    return typeof user === 'string' && user !== '' ? [{ name, user }] : [];
  });
  const [{ name, user } = { name: 'sub', user: '' }] = named;
  if (user.length > USER_MAX || CONTROL.test(user))
    throw claimFault(`${name} must be a text of at most ${String(USER_MAX)} characters`);
  return user;
}

/**
 * Returns the metadata in the claims, without names that begin with an underscore: the gateway sets
 * those.
 */
function ownMetadata(claims: Claims): Readonly<Record<string, string>> {
  const { defaults } = claims;
  const sources = [isObject(defaults) ? defaults['metadata'] : undefined, claims['metadata']];
  const entries = sources.flatMap((source) => (isObject(source) ? Object.entries(source) : []));
  return Object.fromEntries(
    entries
      .flatMap(([name, value]) => (name.startsWith('_') ? [] : plain(name, value)))
      .slice(0, ENTRIES_MAX),
  );
}

const mappedMetadata = ({ metadata }: TrustMap, claims: Claims): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(metadata).flatMap(([name, pointer]) => plain(name, pointed(claims, pointer))),
  );

function plain(name: string, value: unknown): [string, string][] {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
  const text = String(value);
  if (CONTROL.test(name) || CONTROL.test(text))
    throw claimFault('a value for metadata must have no control characters');
  return name.length > CHARACTERS_MAX ? [] : [[name, text.slice(0, CHARACTERS_MAX)]];
}

function configOf({ defaults }: Claims): string | null {
  const config = isObject(defaults) ? defaults['config_id'] : undefined;
  return typeof config === 'string' && /^[\w-]{1,255}$/.test(config) ? config : null;
}
