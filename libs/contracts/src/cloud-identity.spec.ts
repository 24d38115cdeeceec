import { configuredClient } from './cloud-identity';

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
});
