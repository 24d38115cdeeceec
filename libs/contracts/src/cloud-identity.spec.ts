import { configuredClient, configuredSecret } from './cloud-identity';

describe('configuredClient', () => {
  const client = { token_endpoint: 'https://id.example.com/token', client_id: 'a', scope: 'read' };

  it('returns a client that uses HTTP Basic unless auth_method is client_secret_post', () => {
    const read = (more: object): unknown =>
      configuredClient({ oauth_client_credentials: { ...client, ...more } }, 'secret');
    expect(read({})).toEqual({
      ...{ endpoint: 'https://id.example.com/token', id: 'a', secret: 'secret', scope: 'read' },
      ...{ audience: null, resource: null, method: 'client_secret_basic' },
    });
    expect(read({ auth_method: 'client_secret_post' })).toMatchObject({ method: 'client_secret_post' });
    expect(configuredClient({}, '')).toMatchObject({ endpoint: '', id: '', scope: null });
  });

  it('returns a private_key_jwt client without a secret', () => {
    const signing = { ...client, auth_method: 'private_key_jwt', issuer: 'https://id.example.com' };
    const configurations = { oauth_client_credentials: signing };
    expect(configuredSecret(configurations)).toBe('private_key');
    const read = configuredClient(configurations, 'the key');
    expect(read).not.toHaveProperty('secret');
    expect(read).toMatchObject({
      ...{ method: 'private_key_jwt', privateKey: 'the key', issuer: 'https://id.example.com' },
      ...{ keyId: null, algorithm: null },
    });
    expect(configuredSecret({ oauth_client_credentials: client })).toBe('client_secret');
  });
});
