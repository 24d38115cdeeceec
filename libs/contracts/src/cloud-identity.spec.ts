import { configuredClient, configuredSecret } from './cloud-identity';

describe('configuredClient', () => {
  const client = { token_endpoint: 'https://id.example.com/token', client_id: 'a', scope: 'read' };

  it('authenticates by HTTP Basic unless it is configured to send the secret in the form', () => {
    const read = (more: object): unknown =>
      configuredClient({ oauth_client_credentials: { ...client, ...more } }, 'secret');
    expect(read({})).toEqual({
      ...{ endpoint: 'https://id.example.com/token', id: 'a', secret: 'secret', scope: 'read' },
      ...{ audience: null, resource: null, method: 'client_secret_basic' },
    });
    expect(read({ auth_method: 'client_secret_post' })).toMatchObject({ method: 'client_secret_post' });
    expect(configuredClient({}, '')).toMatchObject({ endpoint: '', id: '', scope: null });
  });

  it('never sends the key of a client that signs assertions', () => {
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
