import { entraToken, managedToken, type IdentityTools } from '@gw/cloud-identities';
import type { SecretLocation } from '@gw/contracts';
import { assertOk, propertyOf, textOf, VendorError } from '@gw/kernel';

export interface AzureTools extends IdentityTools {
  /** Whether the installation lists the host as trusted. */
  readonly isTrustedHost: (host: string) => boolean;
}

const MANAGER = 'Azure Key Vault';
const API_VERSION = '7.4';
/** Hosts of Key Vault in the clouds of Azure, each with the audience of its tokens. */
const CLOUDS: readonly (readonly [suffix: string, audience: string])[] = [
  ['.vault.azure.net', 'https://vault.azure.net'],
  ['.managedhsm.azure.net', 'https://managedhsm.azure.net'],
  ['.vault.azure.cn', 'https://vault.azure.cn'],
  ['.vault.usgovcloudapi.net', 'https://vault.usgovcloudapi.net'],
];

/**
 * Reads a secret in Azure Key Vault. `path` is `<name>` for the newest version, or
 * `<name>/<version>`.
 */
export async function readFromAzure({ auth, path }: SecretLocation, tools: AzureTools): Promise<string> {
  const vault = new URL(textOf(auth['azure_vault_url'], 'The auth_config'));
  const cloud = CLOUDS.find(([suffix]) => vault.hostname.endsWith(suffix));
  const audience = cloud?.[1] ?? 'https://vault.azure.net';
  const isKeyVault = cloud !== undefined && vault.protocol === 'https:';
  if (auth['azure_auth_mode'] !== 'entra' && !isKeyVault && !tools.isTrustedHost(vault.hostname)) {
    // A tenant must not obtain a token of the installation by naming its own host, and without
    // https the response may come from any host.
    throw new VendorError(
      'refused',
      'The identity of the installation is sent to Azure Key Vault alone, over https.',
    );
  }
  const token = await tokenFor(auth, audience, tools);
  const name = path.split('/').map(encodeURIComponent).join('/');
  const response = await tools.calls.tenants({
    url: `${vault.origin}/secrets/${name}?api-version=${API_VERSION}`,
    method: 'GET',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
  });
  assertOk(response, MANAGER);
  return textOf(propertyOf(response.text, 'value'), MANAGER);
}

async function tokenFor(
  auth: SecretLocation['auth'],
  audience: string,
  tools: IdentityTools,
): Promise<string> {
  const text = (name: string): string => textOf(auth[name], 'The auth_config');
  const { credential } =
    auth['azure_auth_mode'] === 'entra'
      ? await entraToken(
          {
            tenant: text('azure_entra_tenant_id'),
            clientId: text('azure_entra_client_id'),
            clientSecret: text('azure_entra_client_secret'),
            scope: `${audience}/.default`,
          },
          tools,
        )
      : await managedToken(audience, auth['azure_managed_client_id'] ?? null, tools);
  return textOf(credential.kind === 'bearer' ? credential.token : '', MANAGER);
}
