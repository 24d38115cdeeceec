import { createAddressPolicy, GatewayError } from '@gw/kernel';
import { signatureOf } from '@gw/testing';
import {
  abilitiesOf,
  canonicalJson,
  CanonicalFault,
  cardChange,
  CardFetch,
  cardPayload,
  chosenInterface,
  keySetUrls,
  readCard,
  readCardBody,
  servedCard,
  signCard,
  verifyCard,
  type CardResponse,
  type CardSigner,
  type Members,
  type ServedCardOptions,
} from '../index';
import { gzipSync } from 'node:zlib';
import { fetched } from '../spec-support/card-server';
import {
  AGENT,
  BARE_CARD,
  FULL_CARD,
  keyOf,
  signedBy,
  STRANGER,
  TRUSTED,
} from '../spec-support/signed-cards';

const POLICY = createAddressPolicy({ trustedHosts: [] });
const RULES = { policy: POLICY, endpoint: AGENT };
const CARD = { name: 'A', url: `${AGENT}/rpc` };
const NOTHING: CardResponse = { status: 200, location: null, contentEncoding: null, body: Buffer.alloc(0) };
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const redirect = (location: string | null): CardResponse => ({ ...NOTHING, status: 302, location });

describe('CardFetch', () => {
  const started = (endpoint = AGENT) => {
    const credential = { authType: 'headers', authHeader: 'X-Api-Key', authToken: 'k' };
    const fetch = new CardFetch({ ...RULES, endpoint, credential });
    return { fetch, first: fetch.start() };
  };

  it('keeps path and query of the endpoint, and sends the named header', () => {
    const { first } = started(`${AGENT}/team/?a=b`);
    expect(first.url.href).toBe(`${AGENT}/team/.well-known/agent-card.json?a=b`);
    expect(first.headers).toEqual({ 'x-api-key': 'k' });
  });

  it('requests the endpoint itself if it is the URL of a card', () => {
    const { fetch, first } = started(`${AGENT}/.well-known/agent.json`);
    expect(first.url.href).toBe(`${AGENT}/.well-known/agent.json`);
    expect(() => fetch.next({ ...NOTHING, status: 404 })).toThrow(/has no card/);
  });

  it('sends no credential to another origin, nor after a redirect back', () => {
    const { fetch } = started();
    const headersAfter = (location: string): unknown => {
      const step = fetch.next(redirect(location));
      return step.kind === 'request' ? step.request.headers : null;
    };
    expect(headersAfter('/card')).toEqual({ 'x-api-key': 'k' });
    expect(headersAfter('https://other.example.org/card')).toEqual({});
    expect(headersAfter(`${AGENT}/card`)).toEqual({});
    expect(() => headersAfter('/card')).toThrow(/more than 3 redirects/);
  });

  it('refuses a redirect to a disguised address of a trusted host', () => {
    const policy = createAddressPolicy({ trustedHosts: ['127.0.0.1'] });
    const fetch = new CardFetch({ policy, endpoint: 'https://127.0.0.1' });
    fetch.start();
    expect(fetch.next(redirect('https://127.0.0.1/card')).kind).toBe('request');
    expect(() => fetch.next(redirect('https://0x7f.1/card'))).toThrow(/four decimal numbers/);
  });

  it.each([
    'http://agent.example.org/card',
    'https://0x7f.1/card',
    '//127.0.0.1/card',
    'file:///etc/passwd',
    'https://u:p@agent.example.org/card',
    'https://agent.example.org/card#x',
    `/${'x'.repeat(3_000)}`,
    null,
  ])('refuses a redirect to %s [ERR-10]', (location) => {
    const { fetch } = started();
    expect(() => fetch.next(redirect(location))).toThrow(GatewayError);
  });

  it('accepts 1 MiB and refuses one byte more, with and without a coding [ERR-10]', () => {
    const server = { endpoint: AGENT, answer: CARD };
    expect(fetched({ ...server, padTo: 1_048_576 }).card.name).toBe('A');
    expect(fetched({ ...server, gzipPadTo: 1_048_576 }).card.name).toBe('A');
    expect(() => fetched({ ...server, padTo: 1_048_577 })).toThrow(/at most 1048576 bytes/);
    expect(() => fetched({ ...server, gzipPadTo: 1_048_577 })).toThrow(/at most 1048576 bytes/);
  });

  it.each(['Host', 'Metadata-Flavor', 'a b', 'X-Forwarded-For', 'A2A-Version', 'Cookie\n', 7])(
    'refuses the header %j',
    (authHeader) => {
      const credential = { authType: 'headers', authHeader, authToken: 'k' };
      expect(() => new CardFetch({ ...RULES, credential }).start()).toThrow(/authHeader/);
    },
  );

  it.each([undefined, '', ' ', 'x'.repeat(8_193), 'a\nb', 7])('refuses the token %j', (authToken) => {
    const credential = { authType: 'headers', authToken };
    expect(() => new CardFetch({ ...RULES, credential }).start()).toThrow(/authToken/);
  });
});

describe('readCardBody', () => {
  it('accepts a byte order mark and a known coding', () => {
    expect(readCardBody(Buffer.from('\ufeff{"a":1}'), null)).toEqual({ a: 1 });
    expect(readCardBody(gzipSync('{"a":1}'), 'GZIP')).toEqual({ a: 1 });
  });

  it('stops decoding at the bound', () => {
    const cut = gzipSync(' '.repeat(5_000_000)).subarray(0, -8);
    expect(() => readCardBody(cut, 'gzip')).toThrow(/at most 1048576 bytes/);
  });

  it.each<[string, Buffer, string | null]>([
    ['65 levels', Buffer.from(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`), null],
    ['100,001 members', Buffer.from(`[${'0,'.repeat(100_001)}0]`), null],
    ['no UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), null],
    ['two codings', gzipSync('{}'), 'gzip, gzip'],
    ['a coding that it does not have', json({}), 'gzip'],
    ['a text', json('{}'), null],
  ])('refuses %s', (_name, body, coding) => {
    expect(() => readCardBody(body, coding)).toThrow(GatewayError);
  });
});

describe('readCard', () => {
  const read = (more: Members, rules = {}) => readCard({ ...CARD, ...more }, { ...RULES, ...rules });
  const listed = (protocolBinding: string, url: string, protocolVersion = '1.0') => ({
    ...{ protocolBinding, url, protocolVersion },
  });

  it('prefers JSONRPC of 1.0 and skips addresses that are not allowed', () => {
    const { interfaces, url } = readCard(
      {
        name: 'A',
        supportedInterfaces: [
          listed('GRPC', `${AGENT}/grpc`),
          listed('HTTP+JSON', `${AGENT}/rest`),
          listed('JSONRPC', 'https://10.0.0.1/rpc'),
          listed('JSONRPC', 'https://evil.example/rpc'),
          listed('JSONRPC', `${AGENT}/rpc`, '0.3.0'),
          { ...listed('JSONRPC', `${AGENT}/new`), tenant: 'acme' },
        ],
      },
      RULES,
    );
    expect(url).toBe(`${AGENT}/rpc`);
    expect(interfaces.map((each) => each.url)).toEqual([`${AGENT}/rpc`, `${AGENT}/new`, `${AGENT}/rest`]);
    expect(chosenInterface({ interfaces })).toMatchObject({ url: `${AGENT}/new`, tenant: 'acme' });
    expect(chosenInterface({ interfaces }, { version: '0.3' })?.url).toBe(`${AGENT}/rpc`);
    expect(chosenInterface({ interfaces }, { binding: 'HTTP+JSON' })?.url).toBe(`${AGENT}/rest`);
  });

  it('reads the interfaces of 0.3, but none of gRPC', () => {
    const additionalInterfaces = [{ url: `${AGENT}/rest`, transport: 'HTTP+JSON' }];
    const { interfaces } = read({ preferredTransport: 'GRPC', additionalInterfaces });
    expect(interfaces).toEqual([
      { url: `${AGENT}/rest`, binding: 'HTTP+JSON', version: '0.3', tenant: null },
    ]);
    expect(chosenInterface(read({ preferredTransport: 'GRPC' }))).toBeNull();
  });

  it('accepts another origin if allowsOtherOrigin is set', () => {
    const url = 'https://evil.example/rpc';
    expect(() => read({ url })).toThrow(/origin of the endpoint/);
    expect(read({ url }, { allowsOtherOrigin: true }).url).toBe(url);
  });

  it.each<[string, Members]>([
    ['an empty name', { name: ' ' }],
    ['a name of 256 characters', { name: 'x'.repeat(256) }],
    ['an empty URL', { url: '' }],
    ['skills that are no list', { skills: {} }],
    ['a skill twice', { skills: [{ id: 'a' }, { id: 'a' }] }],
    ['101 interfaces', { supportedInterfaces: Array.from({ length: 101 }, () => ({})) }],
    ['half of a surrogate pair', { description: '\udc00' }],
  ])('refuses %s [ERR-10]', (_name, more) => {
    expect(() => read(more)).toThrow(GatewayError);
  });
});

describe('servedCard', () => {
  const options: ServedCardOptions = {
    form: '1.0',
    address: 'https://gateway.example.org/v1/agent/a',
    security: { oauth: null },
  };

  it('lists only abilities that the agent has, in both forms', () => {
    expect(servedCard(CARD, options)['capabilities']).toEqual({
      ...{ streaming: false, pushNotifications: false, extendedAgentCard: false },
    });
    expect(servedCard(CARD, { ...options, push: 'emulate' })).toHaveProperty(
      'capabilities.pushNotifications',
      true,
    );
    const able = {
      ...CARD,
      capabilities: { pushNotifications: true },
      supportsAuthenticatedExtendedCard: true,
    };
    expect(servedCard(able, { ...options, push: 'off' })).toHaveProperty(
      'capabilities.pushNotifications',
      false,
    );
    expect(servedCard(able, { ...options, form: 'hybrid' })['supportsAuthenticatedExtendedCard']).toBe(true);
  });

  it('lists only skills that the caller may see, without their credentials', () => {
    const skills = [
      { id: 'a', security: [{ k: [] }], securityRequirements: [{ schemes: { k: {} } }] },
      { id: 'b' },
      { name: 'no id' },
      7,
    ];
    const card = servedCard({ ...CARD, skills }, { ...options, showsSkill: (id) => id === 'a' });
    expect(card['skills']).toEqual([{ id: 'a', name: 'a', description: 'a', tags: ['a'] }]);
  });

  it('drops members of a wrong type, and members that no version defines', () => {
    const odd = { description: 7, provider: 'x', iconUrl: [], capabilities: [], skills: {}, extra: 1 };
    expect(Object.keys(servedCard({ ...CARD, ...odd }, options)).sort()).toEqual([
      ...['capabilities', 'defaultInputModes', 'defaultOutputModes', 'description', 'name'],
      ...['securityRequirements', 'securitySchemes', 'skills', 'supportedInterfaces', 'version'],
    ]);
  });

  it('keeps extensions, and reads which ones are required', () => {
    const extensions = [{ uri: 'u', required: true, params: { a: 0 }, other: 1 }, { uri: 7 }, null];
    const card = { ...CARD, capabilities: { extensions } };
    expect(servedCard(card, options)).toHaveProperty('capabilities.extensions', [
      { uri: 'u', required: true, params: { a: 0 } },
    ]);
    expect(abilitiesOf(card)).toMatchObject({ extensions: ['u'], requiredExtensions: ['u'] });
  });
});

describe('signCard and verifyCard', () => {
  const signer: CardSigner = {
    keyId: TRUSTED.id,
    keySetUrl: 'https://gateway.example.org/jwks',
    sign: (signed) => signatureOf(TRUSTED, signed.toString('latin1')),
  };

  it('sign no card with empty or unknown members', () => {
    expect(signCard(BARE_CARD, signer)).toBeNull();
    expect(signCard({ ...FULL_CARD, url: AGENT }, signer)).toBeNull();
    expect(signCard({ ...FULL_CARD, iconUrl: '' }, signer)).toBeNull();
  });

  it('replace other signatures, and name the key set of the gateway', () => {
    const card = signCard(signedBy(STRANGER, FULL_CARD), signer) ?? {};
    expect(verifyCard(card, [keyOf(TRUSTED)]).state).toBe('verified');
    expect(verifyCard(card, [keyOf(STRANGER)]).state).toBe('untrusted');
    expect(keySetUrls(card, ['https://gateway.example.org'])).toEqual([signer.keySetUrl]);
    expect(keySetUrls(card, [AGENT])).toEqual([]);
  });

  it('accept signatures of a hybrid card with and without the members of 0.3', () => {
    const hybrid = { ...FULL_CARD, url: AGENT };
    expect(verifyCard({ ...signedBy(TRUSTED, FULL_CARD), url: AGENT }, [keyOf(TRUSTED)]).state).toBe(
      'verified',
    );
    expect(verifyCard({ ...signedBy(TRUSTED, FULL_CARD), url: AGENT }, [keyOf(TRUSTED)]).signed).toEqual(
      FULL_CARD,
    );
    const whole = signedBy(TRUSTED, hybrid, { payload: canonicalJson(hybrid) });
    expect(verifyCard(whole, [keyOf(TRUSTED)]).state).toBe('verified');
    expect(verifyCard(whole, [keyOf(TRUSTED)]).signed).toEqual(hybrid);
    expect(verifyCard({ ...whole, url: 'https://evil.example' }, [keyOf(TRUSTED)]).state).toBe('invalid');
  });

  it('cover messages that are present without members', () => {
    const securitySchemes = { k: { mtlsSecurityScheme: {} } };
    expect(cardPayload({ name: 'A', securitySchemes, securityRequirements: [] })).toBe(
      canonicalJson({ name: 'A', securitySchemes }),
    );
  });

  it('judge signatures by the key that they name, not by the algorithm that they claim', () => {
    const symmetric = signedBy(STRANGER, FULL_CARD, { header: { alg: 'HS256' } });
    expect(verifyCard(symmetric, [keyOf(TRUSTED)]).state).toBe('invalid');
    const forged = signedBy({ ...STRANGER, id: TRUSTED.id }, FULL_CARD);
    expect(verifyCard(forged, [keyOf(TRUSTED)]).state).toBe('invalid');
    const algorithm = signedBy(TRUSTED, FULL_CARD, { header: { alg: 'RS256' } });
    expect(verifyCard(algorithm, [keyOf(TRUSTED)]).state).toBe('invalid');
  });
});

describe('canonicalJson', () => {
  it('sorts by UTF-16 units, like the example of RFC 8785', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toHaveLength(7);
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    );
  });

  it('serialises numbers like ECMAScript', () => {
    expect(canonicalJson([333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    );
  });

  it.each([[NaN], ['\ud800'], [{ '\udc00': 1 }], [() => 1], [1n]])('refuses %p', (value) => {
    expect(() => canonicalJson(value)).toThrow(CanonicalFault);
  });

  it('refuses values of 65 levels', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
    expect(canonicalJson(nested(64))).toHaveLength(128);
    expect(() => canonicalJson(nested(70))).toThrow(CanonicalFault);
  });
});

describe('cardChange', () => {
  const judged = (card: Members) => ({ card, url: AGENT });
  const [skill] = FULL_CARD['skills'] as readonly Members[];
  const changed = { ...FULL_CARD, skills: [{ ...skill, tags: ['other'] }, { id: 'new' }] };

  it('applies every change with auto, and the first card with review_changes', () => {
    expect(cardChange(judged(FULL_CARD), judged(changed), 'auto').isApplied).toBe(true);
    expect(cardChange(null, judged(FULL_CARD), 'review_changes').isApplied).toBe(true);
    expect(cardChange(null, judged(FULL_CARD), 'review_all')).toMatchObject({
      ...{ isApplied: false, pendingSkills: ['s'], isAgentPending: true },
    });
  });

  it('applies nothing of a moved card, even with auto', () => {
    const moved = { card: { ...changed, description: 'other' }, url: 'https://evil.example/rpc' };
    expect(cardChange(judged(FULL_CARD), moved, 'auto')).toMatchObject({
      ...{ isApplied: false, alert: 'moved', pendingSkills: ['s', 'new'], isAgentPending: true },
    });
  });

  it('lists new, changed and removed skills, and changed texts of the agent', () => {
    const result = cardChange(judged(FULL_CARD), judged(changed), 'review_changes');
    expect(result).toMatchObject({ pendingSkills: ['s', 'new'], removedSkills: [], isAgentPending: false });
    const other = { ...FULL_CARD, description: 'other', skills: [] };
    expect(cardChange(judged(FULL_CARD), judged(other), 'review_changes')).toMatchObject({
      ...{ removedSkills: ['s'], isAgentPending: true, isApplied: false },
    });
  });

  it('ignores signatures, the order of members and addresses of one origin', () => {
    const same = { ...signedBy(TRUSTED, FULL_CARD), supportedInterfaces: [] };
    const reordered = Object.fromEntries(Object.entries(same).reverse());
    expect(cardChange(judged(FULL_CARD), judged(reordered), 'review_all')).toMatchObject({
      ...{ isApplied: true, isAgentPending: false },
    });
  });
});
