import { clientIdFault, CLIENT_DOCUMENT_BYTES_MAX, readClientDocument } from './index';

const ID = 'https://app.example.org/client.json';
const DOCUMENT = { client_id: ID, client_name: 'App', redirect_uris: ['https://app.example.org/cb'] };
const KEY = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
const read = (more: object) => readClientDocument(ID, Buffer.from(JSON.stringify({ ...DOCUMENT, ...more })));
const refusal = { error: 'invalid_client_metadata' };

describe('readClientDocument', () => {
  it('returns rebuilt metadata like checkRegistration', () => {
    const loopback = {
      redirect_uris: ['http://localhost/cb'],
      application_type: 'web',
      scope: 'openid mcp.invoke',
    };
    expect(read(loopback)).toMatchObject({
      client: { client_name: 'App', application_type: 'native', token_endpoint_auth_method: 'none' },
      scope: 'mcp.invoke',
    });
    expect(read(loopback)).not.toHaveProperty('client.client_id');
  });

  it('accepts members in any order, and public keys in jwks or at jwks_uri', () => {
    const method = { token_endpoint_auth_method: 'private_key_jwt' };
    const keys = { jwks: { keys: [KEY] } };
    expect(read({ ...method, ...keys })).toMatchObject({ client: { ...method, ...keys } });
    const url = { jwks_uri: 'https://app.example.org/jwks' };
    expect(read({ ...method, ...url })).toMatchObject({ client: { ...method, ...url } });
    const reversed = JSON.stringify(Object.fromEntries(Object.entries(DOCUMENT).reverse()));
    expect(readClientDocument(ID, Buffer.from(reversed))).toHaveProperty('client');
  });

  it.each([
    { token_endpoint_auth_method: 'private_key_jwt' },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY] }, jwks_uri: ID },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ ...KEY, d: 'd' }] } },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'k' }] } },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: ['key'] } },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: 'keys' },
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://app.example.org/jwks' },
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://169.254.169.254/jwks' },
    { token_endpoint_auth_method: 'client_secret_basic' },
    { jwks: { keys: [KEY] } },
    { client_secret_expires_at: 0 },
    { client_secret: null },
    { client_name: ' ' },
    { software_statement: 'a.b.c' },
  ])('refuses %j', (more) => {
    expect(read(more)).toMatchObject(refusal);
  });

  it('accepts a document of the maximum size, and refuses one with a byte more', () => {
    const unpadded = Buffer.byteLength(JSON.stringify({ ...DOCUMENT, padding: '' }));
    const padding = 'x'.repeat(CLIENT_DOCUMENT_BYTES_MAX - unpadded);
    expect(read({ padding })).toHaveProperty('client');
    expect(read({ padding: `${padding}x` })).toMatchObject(refusal);
  });

  it.each([
    [
      'a byte order mark',
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(DOCUMENT))]),
    ],
    ['bytes that are not UTF-8', Buffer.from(JSON.stringify({ ...DOCUMENT, client_name: 'Appÿ' }), 'latin1')],
    [
      'a duplicate member',
      Buffer.from(JSON.stringify(DOCUMENT).replace('{', '{"client_id":"https://evil.example/a",')),
    ],
    ['nothing', Buffer.alloc(0)],
  ])('refuses a document with %s', (_what, body) => {
    expect(readClientDocument(ID, body)).toMatchObject(refusal);
  });
});

describe('clientIdFault', () => {
  it.each([
    ...[
      'http://app.example.org/c',
      'HTTPS://app.example.org/c',
      'https://app.example.org',
      'https://app.example.org/',
    ],
    ...[
      'https://app.example.org?c',
      'https://app.example.org/c#',
      'https://u@app.example.org/c',
      'https://app.example.org/./c',
    ],
    ...[
      'https://localhost/c',
      'https://metadata.google.internal/c',
      'https://app.example.org:22/c',
      'https://[::1]/c',
      '',
    ],
  ])('refuses %s', (id) => {
    expect(clientIdFault(id)).toMatch(/^(?:must|cannot) /);
  });

  it.each([ID, 'https://app.example.org:8443/c?v=1'])('accepts %s', (id) => {
    expect(clientIdFault(id)).toBeUndefined();
  });
});
