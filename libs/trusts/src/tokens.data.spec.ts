import {
  ecKeyPair as ecKey,
  encodedPart as encoded,
  hmacOf as hmac,
  readCases,
  rsaKeyPair as rsaKey,
  signatureOf as signature,
  TOKEN_AUDIENCE as AUDIENCE,
  TOKEN_ISSUER as ISSUER,
  trustOf as trust,
  type TokenKeyPair as KeyPair,
} from '@gw/testing';
import { createPublicKey } from 'node:crypto';
import { readToken, TokenFault, verifyAny } from './index';
import { KeySets } from './key-sets';

interface TokenCase {
  readonly id: string;
  readonly reason: string;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly header?: Readonly<Record<string, unknown>>;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly sign?: string;
  readonly token?: string;
}

const { cases } = readCases('jwt.json') as { readonly cases: readonly TokenCase[] };
const NOW = 1_770_000_000;
const k1 = rsaKey('k1');
const e1 = ecKey('e1');
const attacker = rsaKey('k1');
const KEYS: Readonly<Record<string, KeyPair>> = { k1, e1, attacker };
const pem = createPublicKey(k1.privateKey).export({ type: 'spki', format: 'pem' }).toString();

/** Replaces placeholders in a recipe: `now+300`, `<ISS>`, `<ABSENT>`. */
function filled(recipe: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(recipe).flatMap(([name, value]): [string, unknown][] => {
    if (value === '<ABSENT>') return [];
    if (typeof value === 'string' && /^now(?:[+-][\d.]+)?$/.test(value))
      return [[name, NOW + Number(value.slice(3) || 0)]];
    return [[name, replaced(value)]];
  });
  return Object.fromEntries(entries);
}

const replaced = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.replace('<ISS>', ISSUER).replace('<AUD>', AUDIENCE)
    : Array.isArray(value)
      ? value.map(replaced)
      : value;

function signed(sign: string, text: string): Buffer {
  const key = KEYS[sign];
  if (key !== undefined) return signature(key, text);
  if (sign.startsWith('hmac'))
    return hmac(
      sign.includes('jwk')
        ? JSON.stringify(k1.jwk)
        : sign.includes('modulus')
          ? String(k1.jwk['n'])
          : ` ${pem}`,
      text,
    );
  if (sign.startsWith('zero')) return Buffer.alloc(64);
  if (sign.endsWith('DER')) return Buffer.concat([Buffer.from([0x30, 0x44]), signature(e1, text)]);
  return Buffer.alloc(0);
}

const GOOD = { iss: ISSUER, aud: AUDIENCE, sub: 'u1', iat: NOW, exp: NOW + 300 };
const HEADER = { alg: 'RS256', kid: 'k1', typ: 'JWT' };

/** Returns the malformed token that a recipe describes. */
function formOf(recipe: string): string {
  const [h, p] = [encoded(HEADER), encoded(GOOD)];
  const s = signature(k1, `${h}.${p}`).toString('base64url');
  const flipped = Buffer.from(s, 'base64url').map((byte, index) => (index === 9 ? byte ^ 1 : byte));
  const build = (header: unknown, payload: unknown): string => {
    const text = `${encoded(header)}.${encoded(payload)}`;
    return `${text}.${signature(k1, text).toString('base64url')}`;
  };
  const whole: Readonly<Record<string, string>> = {
    '<P_NOT_JSON>': build(HEADER, 'not json'),
    '<P_ARRAY>': build(HEADER, []),
    '<JWE_P2C_1e9>': `${encoded({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 1e9, p2s: 'x', kid: 'k1' })}.a.b.c.d`,
    '<H_DUPLICATE_ALG>.<P>.<S>': build('{"alg":"none","alg":"RS256","kid":"k1"}', GOOD),
  };
  return (
    whole[recipe] ??
    recipe
      .replace(
        '<H_STD_BASE64>',
        Buffer.from(JSON.stringify({ ...HEADER, typ: 'JWT', x: '??>>' })).toString('base64'),
      )
      .replace('<H>', h)
      .replace('<P>', p)
      .replace('<S_ONE_BIT>', Buffer.from(flipped).toString('base64url'))
      .replace('<S>', s)
  );
}

function tokenOf({ header = {}, payload = {}, sign = '', token: recipe }: TokenCase): string {
  if (recipe !== undefined) return formOf(recipe);
  const text = `${encoded(filled(header))}.${encoded(filled(payload))}`;
  return `${text}.${signed(sign, text).toString('base64url')}`;
}

describe('verifyAny on jwt.json', () => {
  const fetched: string[] = [];
  const sets = new KeySets({
    fetch: (url) => {
      fetched.push(url);
      return Promise.reject(new Error('There is no network in this test.'));
    },
    warn: () => undefined,
  });
  const rule = trust({ keys: [k1.jwk, e1.jwk] });

  it.each(cases.map((each) => [each.id, each.reason, each] as const))('%s %s', async (_id, _reason, each) => {
    const check = async (): Promise<unknown> =>
      verifyAny([rule], readToken(tokenOf(each)), { sets, now: NOW });
    const outcome = await check().then(
      () => 'accept',
      (error: unknown) => (error instanceof TokenFault ? 'reject' : error),
    );
    if (each.expect === 'either') expect(['accept', 'reject']).toContain(outcome);
    else expect(outcome).toBe(each.expect);
    expect(fetched).toEqual([]);
  });
});
