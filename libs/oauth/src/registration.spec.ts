import { isStorableText } from '@gw/kernel';
import fc from 'fast-check';
import { cleanClientName } from './client-name';
import { checkRegistration, redirectUriFault, type Registration, type RegistrationOptions } from './index';

const REDIRECTS = ['https://app.example.org/cb'];
const check = (more: object, options?: RegistrationOptions) =>
  checkRegistration({ redirect_uris: REDIRECTS, ...more }, options);
const accepted = (more: object, options?: RegistrationOptions): Registration => {
  const result = check(more, options);
  if ('error' in result) throw new Error(result.description);
  return result;
};
/** Draws one of the values, and rarely any JSON value. */
const mostly = (...values: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: fc.jsonValue() });
const STORED_MEMBERS = [
  ...['client_name', 'redirect_uris', 'application_type', 'grant_types', 'response_types'],
  ...['token_endpoint_auth_method', 'logo_uri', 'client_uri', 'policy_uri', 'tos_uri'],
];

describe('checkRegistration [CTL-15]', () => {
  it('accepts or refuses any JSON value, and returns only known members', () => {
    const members = fc.record(
      {
        redirect_uris: mostly(REDIRECTS, [...REDIRECTS, 'http://localhost/cb']),
        client_name: mostly('App', ' A\u200B b '),
        token_endpoint_auth_method: mostly('none', 'client_secret_post'),
        grant_types: mostly(['authorization_code'], ['refresh_token', 'authorization_code']),
        response_types: mostly(['code'], null),
        application_type: mostly('web', 'native'),
        scope: mostly('mcp.invoke', 'agents.invoke admin  mcp.invoke'),
        logo_uri: mostly('https://app.example.org/a#b', null),
        jwks: mostly(null),
        software_statement: mostly(null),
        constructor: mostly('x'),
        unknown: mostly('x'),
      },
      { requiredKeys: ['redirect_uris'] },
    );
    let kept = 0;
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), members), (body) => {
        const result = checkRegistration(JSON.parse(JSON.stringify(body)));
        if ('error' in result) {
          expect(result.description).not.toBe('');
          return;
        }
        kept += 1;
        expect(STORED_MEMBERS).toEqual(expect.arrayContaining(Object.keys(result.client)));
        expect(result.client.redirect_uris.filter((uri) => redirectUriFault(uri) !== undefined)).toEqual([]);
        // The returned metadata is accepted again and does not change.
        expect(checkRegistration({ ...result.client, scope: result.scope })).toEqual(result);
      }),
      { numRuns: 3_000 },
    );
    expect(kept).toBeGreaterThan(100);
  });

  it.each([
    ['http://127.0.0.1:1/cb', 'native'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'native'],
    ['https://app.example.org/cb', 'web'],
  ])('derives from the redirect URI %s that a client is %s', (uri, type) => {
    const { client } = accepted({ redirect_uris: [...REDIRECTS, uri], application_type: 'desktop' });
    expect(client.application_type).toBe(type);
  });

  it('removes duplicate redirect URIs, and refuses more than ten', () => {
    expect(accepted({ redirect_uris: [...REDIRECTS, ...REDIRECTS] }).client.redirect_uris).toEqual(REDIRECTS);
    const many = (count: number): object => ({
      redirect_uris: Array.from({ length: count }, (_, index) => `https://c${String(index)}.example/`),
    });
    expect(accepted(many(10)).client.redirect_uris).toHaveLength(10);
    expect(check(many(11))).toMatchObject({ error: 'invalid_redirect_uri' });
  });

  it('names the invalid redirect URI in the error', () => {
    expect(check({ redirect_uris: [...REDIRECTS, 'http://app.example.org/'] })).toEqual({
      error: 'invalid_redirect_uri',
      field: 'redirect_uris',
      description:
        'redirect_uris[1] must begin with https://; http:// is only for 127.0.0.1, [::1] and localhost',
    });
  });

  it.each([
    ['  My\n\tApp  ', 'My App'],
    ['Good\u202Eelgoog\u202C', 'Goodelgoog'],
    ['A\u200B\u2060pp\u0000', 'App'],
    ['A\ud800pp\udc00 👩', 'App 👩'],
    ['e\u0301', 'é'],
    ['😀'.repeat(100), '😀'.repeat(100)],
  ])('cleans the name %j to %j', (typed, name) => {
    expect(accepted({ client_name: typed }).client.client_name).toBe(name);
  });

  it('leaves only text in a name that Postgres can store', () => {
    const parts = fc.array(fc.constantFrom('a', '\u0000', '\ud800', '\udc00', '👩'), { maxLength: 8 });
    fc.assert(
      fc.property(parts, (typed) => {
        expect(isStorableText(cleanClientName(typed.join('')) ?? '')).toBe(true);
      }),
    );
  });

  it.each(['', ' \u200B', 'a'.repeat(101), `App${'\u200B'.repeat(998)}`, 5, ['App']])(
    'refuses the name %j',
    (name) => {
      expect(check({ client_name: name })).toMatchObject({ error: 'invalid_client_metadata' });
    },
  );

  it.each([
    { logo_uri: 'http://app.example.org/logo' },
    { logo_uri: 'https://10.0.0.1/' },
    { client_uri: 'https://user@app.example.org/' },
    { client_uri: 'https://intra#net.example.org/' },
    { policy_uri: 'data:text/html,x' },
    { tos_uri: 5 },
    { software_statement: 'a.b.c' },
    { initiate_login_uri: 'https://app.example.org/' },
    { request_uris: [] },
    { sector_identifier_uri: 'https://app.example.org/' },
    { id_token_encrypted_response_alg: 'RSA-OAEP' },
    { request_object_encryption_enc: 'A256GCM' },
    { jwks: { keys: [] } },
    { jwks_uri: 'https://app.example.org/jwks' },
    { token_endpoint_auth_method: 'private_key_jwt' },
    { token_endpoint_auth_method: 'tls_client_auth' },
    { token_endpoint_auth_method: ['none'] },
    { grant_types: [] },
    { grant_types: ['refresh_token'] },
    { grant_types: 'authorization_code' },
    { grant_types: ['authorization_code', 'client_credentials'] },
    { response_types: ['code', 'token'] },
    { response_types: [] },
    { scope: 5 },
    { scope: 'a'.repeat(4_097) },
  ])('refuses %j', (more) => {
    expect(check(more)).toMatchObject({ error: 'invalid_client_metadata' });
  });

  it('treats null as absent, and drops unknown members', () => {
    const more = {
      logo_uri: null,
      software_statement: null,
      contacts: ['a@example.org'],
      client_secret: 'x',
      a: 1,
    };
    expect(accepted({ ...more, policy_uri: 'https://app.example.org/legal#privacy' })).toEqual({
      client: {
        client_name: 'Unnamed client',
        redirect_uris: REDIRECTS,
        application_type: 'web',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        policy_uri: 'https://app.example.org/legal#privacy',
      },
      scope: '',
    });
  });

  it('drops the device flow when it is disabled, so that clients that request all grants can register', () => {
    const device = 'urn:ietf:params:oauth:grant-type:device_code';
    const more = { grant_types: ['authorization_code', device, device] };
    expect(accepted(more).client.grant_types).toEqual(['authorization_code']);
    expect(accepted(more, { deviceFlow: true }).client.grant_types).toEqual(['authorization_code', device]);
    expect(check({ grant_types: [device] })).toMatchObject({ error: 'invalid_client_metadata' });
    expect(accepted({ grant_types: [device] }, { deviceFlow: true }).client.grant_types).toEqual([device]);
  });

  it('reduces scopes to those that isRegistrable allows', () => {
    const isRegistrable = (scope: string): boolean => scope.startsWith('a');
    expect(accepted({ scope: 'a b a  ab' }, { isRegistrable }).scope).toBe('a ab');
    expect(accepted({ scopes: ['a', 'b'] }, { isRegistrable }).scope).toBe('a');
    expect(
      accepted(
        { scopes: Array.from({ length: 1_000 }, (_, i) => `a${String(i)}`) },
        { isRegistrable },
      ).scope.split(' '),
    ).toHaveLength(200);
  });
});
