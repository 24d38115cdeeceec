import type { CloudIdentity, ConfigurationField } from '@gw/contracts';
import { asString } from '@gw/dialects';
import { textField } from '../fields';
import { neededText, workloadFields, workloadTokenOf } from './identity';
import type { Credential } from '../provider';

/** Scope of tokens for Azure's model services. */
const SCOPE = 'https://cognitiveservices.azure.com/.default';
const MODE = 'azure_auth_mode';
const OF_INSTALLATION = ['managed', 'workload', 'entraFederated'] as const;

/** Fields of providers at Azure that select how calls authenticate. */
export const AZURE_CREDENTIAL_FIELDS: readonly ConfigurationField[] = [
  textField(MODE, {
    values: ['default', 'entra', ...OF_INSTALLATION],
    keyless: ['entra', ...OF_INSTALLATION],
    ofInstallation: OF_INSTALLATION,
  }),
  textField('azure_entra_tenant_id', {
    required: { field: MODE, oneOf: ['entra', 'entraFederated'] },
    isAddress: true,
  }),
  textField('azure_entra_client_id', { required: { field: MODE, oneOf: ['entra', 'entraFederated'] } }),
  textField('azure_entra_client_secret', { required: { field: MODE, oneOf: ['entra'] }, secret: true }),
  textField('azure_entra_scope', { isAddress: true }),
  textField('azure_managed_client_id', { required: { field: MODE, oneOf: ['managed'] } }),
  textField('azure_workload_client_id'),
  ...workloadFields({ field: MODE, oneOf: ['entraFederated'] }),
];

/**
 * Returns the identity for `azure_auth_mode`; null for a key. In a mode other than `default`, a key
 * is an Entra token that the caller has obtained.
 */
export function azureIdentity(credential: Credential): CloudIdentity | null {
  if (credential.apiKey !== null) return null;
  const { configurations } = credential;
  const text = (name: string): string | null => asString(configurations[name]);
  const scope = text('azure_entra_scope') ?? SCOPE;
  switch (configurations[MODE]) {
    case 'entra':
      return {
        kind: 'entra_client',
        tenant: neededText(credential, 'azure_entra_tenant_id'),
        clientId: neededText(credential, 'azure_entra_client_id'),
        clientSecret: neededText(credential, 'azure_entra_client_secret'),
        scope,
      };
    case 'managed':
      return { kind: 'azure_own', clientId: text('azure_managed_client_id'), scope };
    case 'workload':
      return {
        kind: 'azure_workload',
        tenant: text('azure_entra_tenant_id'),
        clientId: text('azure_workload_client_id'),
        scope,
        token: null,
      };
    case 'entraFederated':
      return {
        kind: 'azure_workload',
        tenant: neededText(credential, 'azure_entra_tenant_id'),
        clientId: neededText(credential, 'azure_entra_client_id'),
        scope,
        token: workloadTokenOf(credential),
      };
    default:
      return null;
  }
}
