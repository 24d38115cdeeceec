import type { SecretLocation } from '@gw/contracts';
import { assertOk, propertyOf, textOf, VendorError, type VendorCalls } from '@gw/kernel';

export interface VaultTools {
  readonly calls: Pick<VendorCalls, 'tenants'>;
  /** Token of the installation's service account in Kubernetes. */
  readonly kubernetesToken: () => Promise<string>;
  /** Whether the installation lists the host as trusted. */
  readonly isTrustedHost: (host: string) => boolean;
}

const MANAGER = 'HashiCorp Vault';

/**
 * Reads a secret of HashiCorp Vault by its API path: `secret/data/openai` in a KV engine of version
 * 2, `kv/openai` in version 1. Returns the secret's fields as a JSON object.
 */
export async function readFromVault({ auth, path }: SecretLocation, tools: VaultTools): Promise<string> {
  const base = textOf(auth['vault_addr'], 'The auth_config').replace(/(?<!\/)\/+$/, '');
  const namespace = auth['vault_namespace'];
  const common = namespace === undefined ? {} : { 'x-vault-namespace': namespace };
  const token = await tokenFor(auth, base, common, tools);
  const response = await tools.calls.tenants({
    url: `${base}/v1/${path.split('/').map(encodeURIComponent).join('/')}`,
    method: 'GET',
    headers: { ...common, 'x-vault-token': token },
  });
  assertOk(response, MANAGER);
  const versioned = propertyOf(response.text, 'data', 'metadata');
  const fields = isFields(versioned)
    ? propertyOf(response.text, 'data', 'data')
    : propertyOf(response.text, 'data');
  if (!isFields(fields)) throw new VendorError('not_found', `${MANAGER} has no such secret.`);
  return JSON.stringify(fields);
}

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function tokenFor(
  auth: SecretLocation['auth'],
  base: string,
  headers: Readonly<Record<string, string>>,
  tools: VaultTools,
): Promise<string> {
  if (auth['vault_auth_type'] === 'token') return textOf(auth['vault_token'], 'The auth_config');
  const isRole = auth['vault_auth_type'] === 'approle';
  if (!isRole && !tools.isTrustedHost(new URL(base).hostname)) {
    // A tenant must not obtain a token of the installation by naming its own host.
    throw new VendorError('refused', 'The service account is shown to hosts of TRUSTED_CUSTOM_HOSTS alone.');
  }
  const body = isRole
    ? { role_id: auth['vault_role_id'], secret_id: auth['vault_secret_id'] }
    : { role: auth['vault_role'], jwt: await tools.kubernetesToken() };
  const response = await tools.calls.tenants({
    url: `${base}/v1/auth/${isRole ? 'approle' : 'kubernetes'}/login`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status === 400) throw new VendorError('denied', `${MANAGER} refused the login.`);
  assertOk(response, MANAGER);
  return textOf(propertyOf(response.text, 'auth', 'client_token'), MANAGER);
}
