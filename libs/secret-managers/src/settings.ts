import { optional, text, url, type readSettings } from '@gw/kernel';

const endpoint = optional(url({ protocols: ['http:', 'https:'] }));

/**
 * The installation's own identities and endpoints, under the names that the vendors' tools use. A
 * secret reference uses an identity only if its `auth_config` says so.
 */
export const SECRET_MANAGER_SETTINGS = {
  AWS_ACCESS_KEY_ID: optional(text()),
  AWS_SECRET_ACCESS_KEY: optional(text()),
  AWS_SESSION_TOKEN: optional(text()),
  AWS_ROLE_ARN: optional(text()),
  AWS_WEB_IDENTITY_TOKEN_FILE: optional(text()),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
  AWS_ENDPOINT_URL_STS: endpoint,
  AZURE_AUTHORITY_HOST: url({ protocols: ['http:', 'https:'] }, 'https://login.microsoftonline.com'),
  /**
   * Identity endpoint of App Service and Container Apps; absent: the metadata service of a virtual
   * machine.
   */
  IDENTITY_ENDPOINT: endpoint,
  IDENTITY_HEADER: optional(text()),
  VAULT_KUBERNETES_TOKEN_FILE: text('/var/run/secrets/kubernetes.io/serviceaccount/token'),
} as const;

export type SecretManagerSettings = ReturnType<typeof readSettings<typeof SECRET_MANAGER_SETTINGS>>;
