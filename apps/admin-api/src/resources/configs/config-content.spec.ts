import { PROVIDER_CATALOGUE } from '@gw/providers';
import { isCredential } from './config-content';

describe('credential in a config', () => {
  it('has the name of a secret field of the catalogue, and never that of an open one', () => {
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
  ])('may be %s, which the catalogue does not know', (name) => {
    expect(isCredential(name)).toBe(true);
  });

  it.each(['max_tokens', 'override_params', 'forward_headers', 'provider', 'weight'])('is not %s', (name) => {
    expect(isCredential(name)).toBe(false);
  });
});
