import { flag, optional, text, url, type readSettings } from '@gw/kernel';

const endpoint = optional(url({ protocols: ['http:', 'https:'] }));

/**
 * Settings of the installation's identities at cloud vendors, with the names that the vendors' own
 * tools use.
 */
export const CLOUD_IDENTITY_SETTINGS = {
  /** Whether integrations may use the identities of the installation. */
  ALLOW_AMBIENT_CLOUD_CREDENTIALS: flag(false),
  /** Folders of tokens that integrations may exchange, separated by commas. */
  WIF_TOKEN_DIRS: text(''),
  AWS_ACCESS_KEY_ID: optional(text()),
  AWS_SECRET_ACCESS_KEY: optional(text()),
  AWS_SESSION_TOKEN: optional(text()),
  AWS_ROLE_ARN: optional(text()),
  AWS_WEB_IDENTITY_TOKEN_FILE: optional(text()),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: endpoint,
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: optional(text()),
  AWS_CONTAINER_AUTHORIZATION_TOKEN: optional(text()),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: optional(text()),
  AWS_EC2_METADATA_DISABLED: flag(false),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: url({ protocols: ['http:', 'https:'] }, 'http://169.254.169.254'),
  AWS_ENDPOINT_URL_STS: endpoint,
  AZURE_AUTHORITY_HOST: url({ protocols: ['http:', 'https:'] }, 'https://login.microsoftonline.com'),
  AZURE_TENANT_ID: optional(text()),
  AZURE_CLIENT_ID: optional(text()),
  AZURE_FEDERATED_TOKEN_FILE: optional(text()),
  /**
   * Identity endpoint of App Service and Container Apps; absent: the metadata service of a virtual
   * machine.
   */
  IDENTITY_ENDPOINT: endpoint,
  IDENTITY_HEADER: optional(text()),
  /** Host and port of Google's metadata server. */
  GCE_METADATA_HOST: text('metadata.google.internal'),
  /** Google's token service, and the service that issues tokens of service accounts. */
  GOOGLE_STS_ENDPOINT: url({ protocols: ['http:', 'https:'] }, 'https://sts.googleapis.com'),
  GOOGLE_IAM_CREDENTIALS_ENDPOINT: url(
    { protocols: ['http:', 'https:'] },
    'https://iamcredentials.googleapis.com',
  ),
  GOOGLE_OAUTH_ENDPOINT: url({ protocols: ['http:', 'https:'] }, 'https://oauth2.googleapis.com'),
} as const;

export type CloudIdentitySettings = ReturnType<typeof readSettings<typeof CLOUD_IDENTITY_SETTINGS>>;

/** Endpoints that the operator may set to private addresses, for `createVendorCalls`. */
export const ownEndpoints = (settings: CloudIdentitySettings): readonly (string | null)[] => [
  settings.AWS_ENDPOINT_URL_STS,
  settings.AZURE_AUTHORITY_HOST,
  settings.GOOGLE_STS_ENDPOINT,
  settings.GOOGLE_IAM_CREDENTIALS_ENDPOINT,
  settings.GOOGLE_OAUTH_ENDPOINT,
];
