import type { CloudIdentity, ConfigurationField, OAuthClient, WorkloadToken } from '@gw/contracts';
import { asString } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';
import { textField } from '../fields';
import type { Credential, Provider } from '../provider';

/** Sources of a token for the installation's workload. */
const SOURCES = [
  'file',
  'aws',
  'gcp_metadata',
  'azure_imds',
] as const satisfies readonly WorkloadToken['source'][];

/**
 * Returns the fields for the exchange of a token of the installation's workload. `used`: the values
 * of the selecting field that enable the exchange.
 */
export const workloadFields = (used: {
  readonly field: string;
  readonly oneOf: readonly string[];
}): readonly ConfigurationField[] => [
  textField('wif_token_source', { required: used, values: SOURCES }),
  textField('wif_token_file', { required: { field: 'wif_token_source', oneOf: ['file'] } }),
  // The audience decides which service accepts the token, so it counts as the token's address.
  textField('wif_audience', { isAddress: true }),
];

/**
 * Returns the identity for which a token service issues the credential of a call; null for a key or
 * no credential.
 */
export function identityOf(provider: Provider, credential: Credential): CloudIdentity | null {
  if (credential.configurations['auth_type'] === 'oauthClientCredentials')
    return { kind: 'oauth_client', client: oauthClientOf(credential) };
  return provider.identity?.(credential) ?? null;
}

function oauthClientOf(credential: Credential): OAuthClient {
  const { configurations } = credential;
  return {
    endpoint: neededText(credential, 'oauth_token_endpoint'),
    id: neededText(credential, 'oauth_client_id'),
    secret: neededText(credential, 'oauth_client_secret'),
    scope: asString(configurations['oauth_scope']),
    audience: asString(configurations['oauth_audience']),
    resource: asString(configurations['oauth_resource']),
    method:
      configurations['oauth_token_auth_method'] === 'client_secret_basic'
        ? 'client_secret_basic'
        : 'client_secret_post',
  };
}

/** Reads the fields of `workloadFields`. Throws `validation_failed`. */
export function workloadTokenOf(credential: Credential): WorkloadToken {
  const named = neededText(credential, 'wif_token_source');
  const source = SOURCES.find((known) => known === named);
  if (source === undefined) throw invalidField('wif_token_source', `must be one of ${SOURCES.join(', ')}`);
  const { configurations } = credential;
  return {
    source,
    file: source === 'file' ? neededText(credential, 'wif_token_file') : null,
    audience: asString(configurations['wif_audience']),
  };
}

/** Returns a field that the chosen kind of credential needs. Throws `validation_failed`. */
export function neededText({ configurations }: Credential, name: string): string {
  const text = asString(configurations[name]);
  if (text !== null && text !== '') return text;
  throw invalidField(name, 'is required for this kind of credential');
}

const invalidField = (name: string, rule: string): GatewayError =>
  new GatewayError('validation_failed', { param: name, message: `${name} ${rule}.` });
