import { CLOUD_IDENTITY_SETTINGS } from '@gw/cloud-identities';
import { optional, text, url, type readSettings } from '@gw/kernel';

const endpoint = optional(url({ protocols: ['http:', 'https:'] }));

/**
 * The installation's own identities and endpoints, under the names that the vendors' tools use. A
 * secret reference uses an identity only if its `auth_config` says so.
 */
export const SECRET_MANAGER_SETTINGS = {
  ...CLOUD_IDENTITY_SETTINGS,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
  VAULT_KUBERNETES_TOKEN_FILE: text('/var/run/secrets/kubernetes.io/serviceaccount/token'),
} as const;

export type SecretManagerSettings = ReturnType<typeof readSettings<typeof SECRET_MANAGER_SETTINGS>>;
