import { readFile } from 'node:fs/promises';
import { ownEndpoints } from '@gw/cloud-identities';
import { isTrustedHost, VendorError, type AddressPolicy } from '@gw/kernel';
import { createVendorCalls, type ProxySettings } from '@gw/outbound';
import { readFromAws, type AwsTools } from './aws';
import { readFromAzure, type AzureTools } from './azure';
import type { SecretReader } from './secret-manager';
import type { SecretManagerSettings } from './settings';
import { readFromVault, type VaultTools } from './vault';

export interface SecretManagerOptions {
  readonly settings: SecretManagerSettings;
  /** Checks every address that a tenant can choose. */
  readonly policy: AddressPolicy;
  /** Trusted hosts from `parseTrustedHosts`. */
  readonly trustedHosts: readonly string[];
  readonly proxy?: ProxySettings;
}

/** Maximum number of characters of one secret. The managers themselves store at most 64 KiB. */
const SECRET_LENGTH_MAX = 65_536;

/**
 * Creates a reader for the three secret managers over their HTTP APIs. It caches nothing; see
 * `SecretResolver`.
 */
export function createSecretReader({
  settings,
  policy,
  trustedHosts,
  proxy,
}: SecretManagerOptions): SecretReader {
  const file = async (path: string): Promise<string> => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw new VendorError('refused', 'The installation has no such identity of its own.', { cause: error });
    }
  };
  const tools: AwsTools & AzureTools & VaultTools = {
    calls: createVendorCalls({
      policy,
      ...(proxy ? { proxy } : {}),
      ownEndpoints: [...ownEndpoints(settings), settings.AWS_ENDPOINT_URL_SECRETS_MANAGER],
    }),
    settings,
    isTrustedHost: (host) => isTrustedHost(trustedHosts, host),
    readFile: file,
    kubernetesToken: async () => (await file(settings.VAULT_KUBERNETES_TOKEN_FILE)).trim(),
    now: Date.now,
  };
  return async (location) => {
    const text = await readWith(tools, location);
    if (text.length > SECRET_LENGTH_MAX) {
      throw new VendorError('invalid', `The secret is longer than ${String(SECRET_LENGTH_MAX)} characters.`);
    }
    return text;
  };
}

function readWith(
  tools: AwsTools & AzureTools & VaultTools,
  location: Parameters<SecretReader>[0],
): Promise<string> {
  switch (location.managerType) {
    case 'cloud1_sm':
      return readFromAws(location, tools);
    case 'cloud2_kv':
      return readFromAzure(location, tools);
    case 'vendor3_vault':
      return readFromVault(location, tools);
  }
}
