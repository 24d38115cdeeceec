import type { ConfigurationField } from '@gw/contracts';

/** Returns an optional field that is not secret, unless `more` says otherwise. */
export const textField = (name: string, more: Partial<ConfigurationField> = {}): ConfigurationField => ({
  name,
  kind: 'text',
  secret: false,
  required: false,
  ...more,
});

const OAUTH = { field: 'auth_type', oneOf: ['oauthClientCredentials'] } as const;

/**
 * Fields of every provider for the client credentials grant, whose token is sent as a bearer token.
 */
const OAUTH_FIELDS: readonly ConfigurationField[] = [
  textField('auth_type', {
    values: ['apiKey', 'oauthClientCredentials'],
    keyless: ['oauthClientCredentials'],
  }),
  { name: 'oauth_token_endpoint', kind: 'url', secret: false, required: OAUTH },
  textField('oauth_client_id', { required: OAUTH }),
  textField('oauth_client_secret', { required: OAUTH, secret: true }),
  textField('oauth_scope'),
  textField('oauth_audience', { isAddress: true }),
  textField('oauth_resource', { isAddress: true }),
  textField('oauth_token_auth_method', { values: ['client_secret_post', 'client_secret_basic'] }),
];

/**
 * Fields that every provider accepts: a privately hosted endpoint, headers sent with each call, and
 * another kind of credential than a key.
 */
export const COMMON_FIELDS: readonly ConfigurationField[] = [
  { name: 'custom_host', kind: 'url', secret: false, required: false },
  { name: 'custom_headers', kind: 'headers', secret: true, required: false },
  ...OAUTH_FIELDS,
];
