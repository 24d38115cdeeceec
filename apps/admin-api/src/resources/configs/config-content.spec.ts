import { PROVIDER_CATALOGUE } from '@gw/providers';
import { isCredential } from './config-content';

describe('isCredential', () => {
  it('is true for the secret fields of the catalogue, and false for its open fields', () => {
    const fields = PROVIDER_CATALOGUE.flatMap((provider) => provider.fields);
    expect(fields.filter(({ name, secret }) => isCredential(name) !== secret)).toEqual([]);
  });

  it.each([
    'api_key',
    'openai_api_key',
    'OPENAI_API_KEY',
    'azure_ad_token',
    'google_credentials',
    'db_password',
  ])('is true for %s, which is not in the catalogue', (name) => {
    expect(isCredential(name)).toBe(true);
  });

  it.each(['max_tokens', 'override_params', 'forward_headers', 'provider', 'weight'])(
    'is false for %s',
    (name) => {
      expect(isCredential(name)).toBe(false);
    },
  );
});
