import { isSecretName, mask } from './mask';

describe('mask', () => {
  it.each([
    'key',
    'api_key',
    'apiKey',
    'x-api-key',
    'password',
    'owner_password',
    'client_secret',
    'oauthClientSecret',
    'refresh_token',
    'Authorization',
    'cookie',
    'private_key',
    'privateKey',
    'aws_secret_access_key',
    'credentials',
  ])('hides the value of %s', (name) => {
    expect(mask({ deep: [{ [name]: 'hunter2' }] })).toEqual({ deep: [{ [name]: '*****' }] });
  });

  it.each(['name', 'masked_key', 'monkey', 'key_id', 'keys_count', 'tokens', 'max_tokens', 'scopes'])(
    'leaves %s unchanged',
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );

  it('keeps null and empty values, which show that there is no secret', () => {
    expect(mask({ api_key: null, password: '' })).toEqual({ api_key: null, password: '' });
  });

  it('returns dates as strings and masks values that are nested too deeply', () => {
    expect(mask(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    let deep: unknown = 'x';
    for (let i = 0; i < 40; i += 1) deep = [deep];
    expect(JSON.stringify(mask(deep))).toContain('*****');
  });
});
