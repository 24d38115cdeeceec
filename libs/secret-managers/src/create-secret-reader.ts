import { readFile } from 'node:fs/promises';
import type { AddressPolicy } from '@gw/kernel';
import { BufferedClient, OutboundError, type ProxySettings } from '@gw/outbound';
import { readFromAws, type AwsTools } from './aws';
import { readFromAzure, type AzureTools } from './azure';
import { SecretError, type ManagerCall, type SecretReader } from './secret-manager';
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

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 262_144;
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
  const isTrustedHost = (host: string): boolean =>
    trustedHosts.some((entry) =>
      entry.startsWith('*.') ? host === entry.slice(2) || host.endsWith(entry.slice(1)) : host === entry,
    );
  const through = proxy ? { proxy } : {};
  const file = async (path: string): Promise<string> => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw new SecretError('refused', 'The installation has no such identity of its own.', { cause: error });
    }
  };
  const tools: AwsTools & AzureTools & VaultTools = {
    call: callWith(new BufferedClient({ policy, ...through })),
    callVendor: callWith(new BufferedClient({ policy: withOwnEndpoints(policy, settings), ...through })),
    callIdentity: callWith(new BufferedClient({ policy: ANY_ADDRESS })),
    settings,
    isTrustedHost,
    readFile: file,
    kubernetesToken: async () => (await file(settings.VAULT_KUBERNETES_TOKEN_FILE)).trim(),
    now: () => new Date(),
  };
  return async (location) => {
    const text = await readWith(tools, location);
    if (text.length > SECRET_LENGTH_MAX) {
      throw new SecretError('invalid', `The secret is longer than ${String(SECRET_LENGTH_MAX)} characters.`);
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

/** Client for the machine's identity service, whose address is fixed or comes from the settings. */
const ANY_ADDRESS: AddressPolicy = {
  checkUrl: (url) => ({ ok: true, url: new URL(String(url)) }),
  checkAddress: () => ({ ok: true }),
};

/** Client for endpoints from the settings, which may be private because the operator chose them. */
function withOwnEndpoints(policy: AddressPolicy, settings: SecretManagerSettings): AddressPolicy {
  const own = [
    settings.AWS_ENDPOINT_URL_SECRETS_MANAGER,
    settings.AWS_ENDPOINT_URL_STS,
    settings.AZURE_AUTHORITY_HOST,
  ].flatMap((endpoint) => (endpoint === null ? [] : [new URL(endpoint)]));
  const origins = new Set(own.map(({ origin }) => origin));
  const isOwn = (url: unknown): url is string =>
    typeof url === 'string' && URL.canParse(url) && origins.has(new URL(url).origin);
  return {
    checkUrl: (url) => (isOwn(url) ? { ok: true, url: new URL(url) } : policy.checkUrl(url)),
    checkAddress: (ip, host) =>
      own.some(({ hostname }) => hostname === host) ? { ok: true } : policy.checkAddress(ip, host),
  };
}

const callWith =
  (client: BufferedClient): ManagerCall =>
  async (request) => {
    try {
      const response = await client.fetchBuffered({
        ...request,
        totalTimeoutMs: TIMEOUT_MS,
        bytesMax: RESPONSE_BYTES_MAX,
      });
      return { status: response.status, text: response.body.toString('utf8') };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.failure === 'refused') {
        throw new SecretError('refused', `The address of the manager is not allowed: ${error.message}`);
      }
      throw new SecretError('unreachable', 'The manager could not be reached.', { cause: error });
    }
  };
