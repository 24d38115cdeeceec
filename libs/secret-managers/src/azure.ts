import type { SecretLocation } from '@gw/contracts';
import { assertOk, memberOf, SecretError, textOf, type ManagerCall } from './secret-manager';
import type { SecretManagerSettings } from './settings';

export interface AzureTools {
  readonly call: ManagerCall;
  /** Calls the vendor's own addresses, which no tenant can choose. */
  readonly callVendor: ManagerCall;
  /** Calls the machine's identity service, whose address no tenant can choose. */
  readonly callIdentity: ManagerCall;
  readonly settings: SecretManagerSettings;
  /** Whether the installation lists the host as trusted. */
  readonly isTrustedHost: (host: string) => boolean;
}

const MANAGER = 'Azure Key Vault';
const ENTRA = 'Microsoft Entra';
const API_VERSION = '7.4';
const METADATA_SERVICE = 'http://169.254.169.254/metadata/identity/oauth2/token';
/** Hosts of Key Vault in the clouds of Azure, each with the audience of its tokens. */
const CLOUDS: readonly (readonly [suffix: string, audience: string])[] = [
  ['.vault.azure.net', 'https://vault.azure.net'],
  ['.managedhsm.azure.net', 'https://managedhsm.azure.net'],
  ['.vault.azure.cn', 'https://vault.azure.cn'],
  ['.vault.usgovcloudapi.net', 'https://vault.usgovcloudapi.net'],
];

/**
 * Reads the newest version of a secret in Azure Key Vault, or a named version: `<name>` or
 * `<name>/<version>`.
 */
export async function readFromAzure({ auth, path }: SecretLocation, tools: AzureTools): Promise<string> {
  const vault = new URL(textOf(auth['azure_vault_url'], 'The auth_config'));
  const cloud = CLOUDS.find(([suffix]) => vault.hostname.endsWith(suffix));
  const audience = cloud?.[1] ?? 'https://vault.azure.net';
  if (auth['azure_auth_mode'] !== 'entra' && !cloud && !tools.isTrustedHost(vault.hostname)) {
    // A tenant must not obtain a token of the installation by naming its own host.
    throw new SecretError('refused', 'The identity of the installation is sent to Azure Key Vault alone.');
  }
  const token =
    auth['azure_auth_mode'] === 'entra'
      ? await entraToken(auth, audience, tools)
      : await managedToken(auth['azure_managed_client_id'], audience, tools);
  const name = path.split('/').map(encodeURIComponent).join('/');
  const response = await tools.call({
    url: `${vault.origin}/secrets/${name}?api-version=${API_VERSION}`,
    method: 'GET',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
  });
  assertOk(response, MANAGER);
  return textOf(memberOf(response.text, 'value'), MANAGER);
}

async function entraToken(
  auth: SecretLocation['auth'],
  audience: string,
  { callVendor, settings }: AzureTools,
): Promise<string> {
  const tenant = encodeURIComponent(textOf(auth['azure_entra_tenant_id'], 'The auth_config'));
  const response = await callVendor({
    url: `${settings.AZURE_AUTHORITY_HOST.replace(/\/$/, '')}/${tenant}/oauth2/v2.0/token`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: textOf(auth['azure_entra_client_id'], 'The auth_config'),
      client_secret: textOf(auth['azure_entra_client_secret'], 'The auth_config'),
      scope: `${audience}/.default`,
    }).toString(),
  });
  if (response.status === 400) throw new SecretError('denied', `${ENTRA} refused the credential.`);
  assertOk(response, ENTRA);
  return textOf(memberOf(response.text, 'access_token'), ENTRA);
}

async function managedToken(
  clientId: string | undefined,
  audience: string,
  { callIdentity, settings }: AzureTools,
): Promise<string> {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = settings;
  const url = new URL(endpoint ?? METADATA_SERVICE);
  url.searchParams.set('api-version', endpoint === null ? '2018-02-01' : '2019-08-01');
  url.searchParams.set('resource', audience);
  if (clientId !== undefined) url.searchParams.set('client_id', clientId);
  const response = await callIdentity({
    url: url.href,
    method: 'GET',
    headers: { metadata: 'true', ...(header === null ? {} : { 'x-identity-header': header }) },
  });
  assertOk(response, 'The identity service');
  return textOf(memberOf(response.text, 'access_token'), 'The identity service');
}
