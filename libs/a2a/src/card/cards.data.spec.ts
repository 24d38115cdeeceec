import { createAddressPolicy } from '@gw/kernel';
import { hmacOf, signatureOf } from '@gw/testing';
import {
  cardChange,
  cardFormFor,
  cardPayload,
  cardPayloadOfSdk,
  cardPayloads,
  keySetUrls,
  readCard,
  servedCard,
  signCard,
  verifyCard,
  type ApprovalMode,
  type CardSigner,
  type Members,
  type PushMode,
  type ServedSecurity,
} from '../index';
import {
  AGENT,
  BARE_CARD,
  FULL_CARD,
  keyOf,
  signatureBy,
  signedBy,
  STRANGER,
  TRUSTED,
} from '../spec-support/signed-cards';
import { vectors } from '../spec-support/vectors';

interface CardCase {
  readonly input: {
    readonly upstream?: Members;
    readonly ask?: string | null;
    readonly push?: PushMode;
    readonly change?: string;
    readonly approval_mode?: ApprovalMode;
  };
  readonly expect: string | Readonly<Record<string, unknown>>;
}

const GATEWAY = 'https://gateway.example.org';
const SECURITY: ServedSecurity = {
  oauth: {
    authorizationUrl: `${GATEWAY}/oauth/authorize`,
    tokenUrl: `${GATEWAY}/oauth/token`,
    metadataUrl: `${GATEWAY}/.well-known/oauth-authorization-server`,
  },
};
const RULES = { policy: createAddressPolicy({ trustedHosts: [] }), endpoint: AGENT };
const SIGNER: CardSigner = {
  keyId: TRUSTED.id,
  keySetUrl: `${GATEWAY}/.well-known/jwks.json`,
  sign: (signed) => signatureOf(TRUSTED, signed.toString('latin1')),
};

/** Returns the card that callers get: judged, rewritten and, if possible, signed. */
function served(upstream: Members, { ask, push }: CardCase['input']): Members {
  const options = {
    form: cardFormFor(ask),
    address: `${GATEWAY}/v1/agent/a`,
    security: SECURITY,
    ...(push === undefined ? {} : { push }),
  };
  const card = servedCard(readCard(upstream, RULES).card, options);
  return options.form === '1.0' ? (signCard(card, SIGNER) ?? card) : card;
}

const addressesOf = (card: Members): unknown[] => [
  ...(card['url'] === undefined ? [] : [card['url']]),
  ...[card['supportedInterfaces'], card['additionalInterfaces']]
    .flatMap((list) => (list ?? []) as readonly Members[])
    .map(({ url }) => url),
];

const at = (card: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Members | undefined)?.[name], card);

/** Returns the texts of a value at any depth. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

function checkServed(upstream: Members, input: CardCase['input'], wanted: Members): void {
  const card = served(upstream, input);
  for (const [name, value] of Object.entries(wanted)) {
    if (name === 'has') expect(Object.keys(card)).toEqual(expect.arrayContaining(value as string[]));
    else if (name === 'url_host')
      expect(addressesOf(card).map((url) => new URL(String(url)).host)).toEqual(
        addressesOf(card).map(() => new URL(GATEWAY).host),
      );
    else if (name === 'signatures') checkOwnSignatures(upstream, input);
    else if (name === 'securitySchemes') {
      expect(card['securitySchemes']).toEqual(
        servedCard(FULL_CARD, { form: '1.0', address: GATEWAY, security: SECURITY })['securitySchemes'],
      );
      const theirs = textsIn(upstream['securitySchemes']).filter(
        (text) => text.length > 0 && text !== 'header',
      );
      expect(textsIn(card).filter((text) => theirs.includes(text))).toEqual([]);
    } else if (name !== 'status') expect([name, at(card, name)]).toEqual([name, value]);
  }
}

/**
 * Checks that no signature of the agent is served, and that a card with a skill has the gateway's
 * valid signature.
 */
function checkOwnSignatures(upstream: Members, input: CardCase['input']): void {
  const plain = served(upstream, input)['signatures'] ?? [];
  expect(JSON.stringify(plain)).not.toContain(JSON.stringify((upstream['signatures'] as unknown[])[0]));
  const card = served({ ...upstream, skills: FULL_CARD['skills'] }, input);
  expect(card['signatures']).toHaveLength(1);
  expect(verifyCard(card, [keyOf(TRUSTED)]).state).toBe('verified');
}

function checkChange({ change, approval_mode: mode = 'auto' }: CardCase['input'], wanted: string): void {
  const [skill] = FULL_CARD['skills'] as readonly Members[];
  const changed: Members = /url/.test(change ?? '')
    ? {
        ...FULL_CARD,
        supportedInterfaces: [
          { url: 'https://evil.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      }
    : { ...FULL_CARD, skills: [{ ...skill, description: 'another' }] };
  const rules = { ...RULES, allowsOtherOrigin: true };
  const result = cardChange(readCard(FULL_CARD, rules), readCard(changed, rules), mode);
  expect(result.isApplied).toBe(false);
  expect(result.alert).toBe(wanted.includes('alert') ? 'moved' : null);
  expect(result.pendingSkills).toEqual(wanted.includes('pending') ? ['s'] : []);
}

describe('servedCard', () => {
  it.each(vectors<CardCase>('card'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    if (typeof wanted === 'string') checkChange(input, wanted);
    else checkServed(input.upstream ?? FULL_CARD, input, wanted);
  });
});

interface CanonicalCase {
  readonly input: { readonly card: Members };
  readonly expect: { readonly payload: string; readonly payload_of_sdk_1_3_0?: string };
}

describe('cardPayload', () => {
  it.each(vectors<CanonicalCase>('canonical'))(
    '%s %s',
    (_id, _reason, { input: { card }, expect: wanted }) => {
      const { payload, payload_of_sdk_1_3_0: ofSdk = payload } = wanted;
      expect(cardPayload(card)).toBe(payload);
      expect(cardPayloadOfSdk(card)).toBe(ofSdk);
      expect(cardPayloads(card).map((each) => each.payload)).toEqual([...new Set([payload, ofSdk])]);
    },
  );
});

interface SignatureCase {
  readonly input: { readonly case: string };
  readonly expect: { readonly state: string };
}

const FOREIGN_JKU = 'https://evil.example/jwks.json';

/** Cards by a pattern of the case's text. */
const CARDS: readonly (readonly [RegExp, () => Members])[] = [
  [/^no signatures/, () => FULL_CARD],
  [/not trusted|kid unknown/, () => signedBy(STRANGER, FULL_CARD)],
  [/jku at another/, () => signedBy(STRANGER, FULL_CARD, { header: { jku: FOREIGN_JKU } })],
  [/changed/, () => ({ ...signedBy(TRUSTED, FULL_CARD), name: 'B' })],
  [
    /HS256/,
    () =>
      signedBy(TRUSTED, FULL_CARD, {
        header: { alg: 'HS256' },
        sign: (signed) => hmacOf(JSON.stringify(TRUSTED.jwk), signed),
      }),
  ],
  [/alg none/, () => signedBy(TRUSTED, FULL_CARD, { header: { alg: 'none' }, sign: () => Buffer.alloc(0) })],
  [/pretty-printed/, () => signedBy(TRUSTED, FULL_CARD, { payload: JSON.stringify(FULL_CARD, null, 2) })],
  [/crit/, () => signedBy(TRUSTED, FULL_CARD, { header: { crit: ['exp'], exp: 1 } })],
  [
    /second of two/,
    () => ({
      ...FULL_CARD,
      signatures: [signatureBy(STRANGER, FULL_CARD), signatureBy(TRUSTED, FULL_CARD)],
    }),
  ],
  [/payload of an SDK/, () => signedBy(TRUSTED, BARE_CARD, { payload: cardPayloadOfSdk(BARE_CARD) })],
  [/signature cut/, () => ({ ...FULL_CARD, signatures: [{ protected: 'e30', signature: '!' }] })],
  [/signatures no list/, () => ({ ...FULL_CARD, signatures: {} })],
  [/no canonical form/, () => ({ ...signedBy(TRUSTED, FULL_CARD), name: '\ud800' })],
  [/^good/, () => signedBy(TRUSTED, FULL_CARD)],
];

/** More cases of the same form. */
const MORE: readonly (readonly [text: string, state: string])[] = [
  ['good by the second of two keys', 'verified'],
  ['payload of an SDK, which drops empty members', 'verified'],
  ['alg none', 'invalid'],
  ['signature cut', 'invalid'],
  ['signatures no list', 'invalid'],
  ['no canonical form', 'invalid'],
];

const cardOf = (text: string): Members => {
  const [, make] = CARDS.find(([pattern]) => pattern.test(text)) ?? [];
  if (make === undefined) throw new Error(`There is no card for the case ${text}.`);
  return make();
};

describe('verifyCard', () => {
  it.each(MORE)('%s: %s', (text, state) => {
    expect(verifyCard(cardOf(text), [keyOf(TRUSTED)]).state).toBe(state);
  });

  it.each(vectors<SignatureCase>('signature'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const card = cardOf(input.case);
    const [state, fetches] = wanted.state.split(', ');
    expect(verifyCard(card, [keyOf(TRUSTED)]).state).toBe(state);
    if (fetches === 'not fetched') expect(keySetUrls(card, [AGENT])).toEqual([]);
  });
});
