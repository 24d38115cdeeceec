import {
  readCases,
  TOKEN_AUDIENCE as AUDIENCE,
  ecKeyPair as ecKey,
  rsaKeyPair as rsaKey,
  signedToken as token,
  trustOf as trust,
} from '@gw/testing';
import type { ClaimCondition, TrustRule } from '@gw/contracts';
import { conditionFault, issuerFault, readToken, TokenFault, verifyAny } from './index';
import { KeySets } from './key-sets';

interface SavedTrust {
  readonly kind?: string;
  readonly preset?: string;
  readonly issuer: string;
  readonly jwks?: string;
  readonly audiences: readonly string[];
  readonly algorithms?: readonly string[];
  readonly conditions?: readonly ClaimCondition[];
  readonly maps?: readonly {
    readonly conditions: readonly ClaimCondition[];
    readonly workspace: string | null;
    readonly scopes: readonly string[];
    readonly metadata?: Readonly<Record<string, string>>;
  }[];
  readonly require_jti_once?: boolean;
}

interface WorkloadCase {
  readonly id: string;
  readonly reason: string;
  readonly trust: SavedTrust;
  readonly token: Readonly<Record<string, unknown>> | null;
  readonly expect: string | Readonly<Record<string, unknown>>;
  readonly key?: string;
  readonly alg?: string;
}

const { cases } = readCases('workload.json') as { readonly cases: readonly WorkloadCase[] };
const NOW = 1_770_000_000;
/** A day, the maximum that a trust allows; tokens of platforms are valid for an hour or two. */
const MAX_TTL = 86_400;
const rsa = rsaKey('r');
const ec = ecKey('e', 'P-384');

const replaced = (value: unknown): unknown =>
  value === '<PUBLIC_URL>' ? AUDIENCE : Array.isArray(value) ? value.map(replaced) : value;

function ruleOf({ trust: saved, key }: WorkloadCase): TrustRule {
  const use = saved.preset === 'spiffe' && key === undefined ? { use: 'jwt-svid' } : {};
  return trust({
    organisationId: 'ours',
    tokenKind: saved.kind === 'jwt' ? 'jwt' : 'workload',
    preset: saved.preset ?? null,
    issuer: saved.issuer,
    audiences: replaced(saved.audiences) as string[],
    algorithms: saved.algorithms ?? ['RS256'],
    conditions: saved.conditions ?? [],
    maps: (saved.maps ?? []).map(({ workspace, metadata = {}, ...map }) => ({
      ...map,
      metadata,
      workspaceId: workspace,
    })),
    keys: [rsa.jwk, ec.jwk].map((jwk) => ({ ...jwk, ...use })),
    maxTtl: MAX_TTL,
    requireJtiOnce: saved.require_jti_once === true,
  });
}

const claimsOf = (recipe: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(recipe).map(([name, value]) => [
      name,
      typeof value === 'string' && /^now(?:[+-]\d+)?$/.test(value)
        ? NOW + Number(value.slice(3) || 0)
        : replaced(value),
    ]),
  );

/**
 * Excludes ID-JAG assertions, which the OAuth server checks, and `wl-013` (one-time tokens), which
 * gateway specs cover.
 */
const isOffered = ({ id, trust: { kind } }: WorkloadCase): boolean => kind !== 'id_jag' && id !== 'wl-013';

const offered = cases.filter(isOffered);
const titled = (cases: readonly WorkloadCase[]): [string, string, WorkloadCase][] =>
  cases.map((each) => [each.id, each.reason, each]);

/** Expectations of tokens that are accepted. Their restrictions are tested where they apply. */
const ACCEPTED = [
  'accept',
  'accept, cut or dropped to 128 characters',
  'accept, config ignored',
  'second request in the minute 429',
];

describe('verifyAny and issuerFault on workload.json', () => {
  const sets = new KeySets({ fetch: () => Promise.reject(new Error('no network')), warn: () => undefined });

  it.each(titled(offered.filter((each) => each.token !== null)))('%s %s', async (_id, _reason, each) => {
    const signedBy = each.alg === 'ES384' ? ec : rsa;
    const check = async (): Promise<Record<string, unknown>> => {
      const parts = { sets, now: NOW };
      const { caller } = await verifyAny(
        [ruleOf(each)],
        readToken(token(signedBy, claimsOf(each.token ?? {}))),
        parts,
      );
      const workspace = 'id' in caller.workspace ? caller.workspace.id : caller.workspace.slug;
      return { ...caller, workspace };
    };
    const outcome = await check().catch((error: unknown) => {
      if (error instanceof TokenFault) return null;
      throw error;
    });
    const wanted = each.expect;
    if (wanted === 'reject') expect(outcome).toBeNull();
    else if (wanted === 'either') expect(outcome === null || typeof outcome === 'object').toBe(true);
    else if (typeof wanted === 'string') {
      expect(ACCEPTED).toContain(wanted);
      expect(outcome).not.toBeNull();
    } else expect(outcome).toMatchObject(wanted);
    for (const value of Object.values((outcome?.['metadata'] ?? {}) as Record<string, string>)) {
      expect(value.length).toBeLessThanOrEqual(128);
    }
  });

  it.each(
    titled(offered.filter(({ token: none, reason }) => none === null && reason !== 'private key address')),
  )(
    'a trust is accepted or refused when it is saved: %s %s',
    (_id, _reason, { trust: saved, expect: wanted }) => {
      const conditions = [
        ...(saved.conditions ?? []),
        ...(saved.maps ?? []).flatMap((map) => map.conditions),
      ];
      const faults = [
        issuerFault(saved.issuer, saved.conditions ?? [])?.message,
        ...conditions.map(conditionFault),
        saved.audiences.length === 0 ? 'audiences' : null,
        (saved.maps ?? []).length === 0 ? 'maps' : null,
        saved.maps?.some(({ workspace }) => workspace === 'of another organisation') === true
          ? 'workspace'
          : null,
      ].filter((each) => typeof each === 'string');
      expect(faults.length > 0).toBe(typeof wanted === 'string' && wanted.startsWith('refused'));
    },
  );

  it('a token is refused when trusts of two organisations accept it', async () => {
    const claims = { iss: 'https://idp.example.org', aud: AUDIENCE, sub: 'u1', exp: NOW + 300 };
    const rules = ['one', 'two'].map((organisationId) => trust({ organisationId, keys: [rsa.jwk] }));
    const read = readToken(token(rsa, claims));
    await expect(verifyAny(rules, read, { sets, now: NOW })).rejects.toThrow(/several organisations/);
    const named = readToken(token(rsa, { ...claims, gw_oid: 'two' }));
    expect((await verifyAny(rules, named, { sets, now: NOW })).rule.organisationId).toBe('two');
  });
});
