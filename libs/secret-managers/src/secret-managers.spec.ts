import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecretLocation, SecretManagerType } from '@gw/contracts';
import { createAddressPolicy, readSettings } from '@gw/kernel';
import { STUB_ACCESS, StubSecretManagers } from '@gw/testing';
import { createSecretReader } from './create-secret-reader';
import type { SecretReader } from './secret-manager';
import { SECRET_MANAGER_SETTINGS } from './settings';

const REGION = { aws_region: 'eu-central-1' };
let managers: StubSecretManagers;
let port = '';
const tokenFile = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'token');

beforeAll(async () => {
  managers = await StubSecretManagers.start();
  port = new URL(managers.origin).port;
  writeFileSync(tokenFile, `${STUB_ACCESS.kubernetesToken}\n`);
  managers.secrets.set('prod/openai', 'sk-of-aws');
  managers.secrets.set('openai-key', 'sk-of-azure');
  managers.secrets.set('secret/data/openai', '{"api_key":"sk-of-vault"}');
  managers.secrets.set('kv/openai', '{"api_key":"sk-of-kv1"}');
  managers.secrets.set('team-a:secret/data/openai', '{"api_key":"sk-of-namespace"}');
});
afterAll(() => managers.stop());
beforeEach(() => {
  managers.outage = null;
});

function reader(
  environment: Record<string, string> = {},
  trustedHosts: string[] = ['127.0.0.1'],
): SecretReader {
  return createSecretReader({
    settings: readSettings(SECRET_MANAGER_SETTINGS, {
      AWS_ENDPOINT_URL_SECRETS_MANAGER: managers.origin,
      AWS_ENDPOINT_URL_STS: managers.origin,
      AZURE_AUTHORITY_HOST: managers.origin,
      IDENTITY_ENDPOINT: `${managers.origin}/identity`,
      VAULT_KUBERNETES_TOKEN_FILE: tokenFile,
      ...environment,
    }),
    policy: createAddressPolicy({ trustedHosts }),
    trustedHosts,
  });
}

const at = (managerType: SecretManagerType, path: string, auth: Record<string, string>): SecretLocation => ({
  managerType,
  auth,
  path,
  key: null,
  version: 'v',
});
const accessKey = (more: object = {}): Record<string, string> => ({
  aws_auth_type: 'accessKey',
  aws_access_key_id: STUB_ACCESS.awsKeyId,
  aws_secret_access_key: STUB_ACCESS.awsSecret,
  ...REGION,
  ...more,
});
const entra = (more: object = {}): Record<string, string> => ({
  azure_auth_mode: 'entra',
  azure_entra_tenant_id: 'stub-tenant',
  azure_entra_client_id: STUB_ACCESS.azureClient,
  azure_entra_client_secret: STUB_ACCESS.azureSecret,
  azure_vault_url: `http://127.0.0.1:${port}`,
  ...more,
});
const vault = (more: object = {}): Record<string, string> => ({
  vault_auth_type: 'token',
  vault_addr: `http://127.0.0.1:${port}`,
  vault_token: STUB_ACCESS.vaultToken,
  ...more,
});
const OWN_KEY = {
  AWS_ACCESS_KEY_ID: STUB_ACCESS.awsKeyId,
  AWS_SECRET_ACCESS_KEY: STUB_ACCESS.awsSecret,
};

describe('[SRF-03] AWS Secrets Manager', () => {
  it('reads a secret with a request signed by an access key', async () => {
    expect(await reader()(at('cloud1_sm', 'prod/openai', accessKey()))).toBe('sk-of-aws');
    const wrong = at('cloud1_sm', 'prod/openai', accessKey({ aws_secret_access_key: 'wrong' }));
    await expect(reader()(wrong)).rejects.toMatchObject({ failure: 'denied' });
    await expect(reader()(at('cloud1_sm', 'gone', accessKey()))).rejects.toMatchObject({
      failure: 'not_found',
    });
  });

  it('reads a secret in a role that the installation’s key or service account assumes', async () => {
    const role = { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::1:role/x', ...REGION };
    expect(await reader(OWN_KEY)(at('cloud1_sm', 'prod/openai', role))).toBe('sk-of-aws');
    const service = at('cloud1_sm', 'prod/openai', { aws_auth_type: 'serviceRole', ...REGION });
    expect(await reader(OWN_KEY)(service)).toBe('sk-of-aws');
    const webIdentity = { AWS_ROLE_ARN: 'arn:aws:iam::1:role/pod', AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile };
    expect(await reader(webIdentity)(service)).toBe('sk-of-aws');
    await expect(reader()(service)).rejects.toMatchObject({ failure: 'refused' });
  });
});

describe('[SRF-03] Azure Key Vault', () => {
  it('reads a secret with an Entra token', async () => {
    expect(await reader()(at('cloud2_kv', 'openai-key', entra()))).toBe('sk-of-azure');
    const wrong = at('cloud2_kv', 'openai-key', entra({ azure_entra_client_secret: 'wrong' }));
    await expect(reader()(wrong)).rejects.toMatchObject({ failure: 'denied' });
    await expect(reader()(at('cloud2_kv', 'gone', entra()))).rejects.toMatchObject({ failure: 'not_found' });
  });

  it('reads a secret with the machine’s identity, which is sent only to Key Vault and trusted hosts', async () => {
    const managed = at('cloud2_kv', 'openai-key', {
      azure_auth_mode: 'managed',
      azure_managed_client_id: 'id',
      azure_vault_url: `http://127.0.0.1:${port}`,
    });
    expect(await reader()(managed)).toBe('sk-of-azure');
    const before = managers.stub.requests.length;
    await expect(reader({}, [])(managed)).rejects.toMatchObject({ failure: 'refused' });
    expect(managers.stub.requests).toHaveLength(before);
  });

  it('sends the machine’s identity to Key Vault over https alone', async () => {
    const auth = { azure_auth_mode: 'default', azure_vault_url: 'http://secrets.vault.azure.net' };
    const before = managers.stub.requests.length;
    await expect(reader()(at('cloud2_kv', 'openai-key', auth))).rejects.toMatchObject({ failure: 'refused' });
    expect(managers.stub.requests).toHaveLength(before);
  });
});

describe('[SRF-03] HashiCorp Vault', () => {
  it.each([
    ['secret/data/openai', {}, 'sk-of-vault'],
    ['kv/openai', {}, 'sk-of-kv1'],
    ['secret/data/openai', { vault_namespace: 'team-a' }, 'sk-of-namespace'],
    [
      'secret/data/openai',
      {
        vault_auth_type: 'approle',
        vault_role_id: STUB_ACCESS.vaultRole,
        vault_secret_id: STUB_ACCESS.vaultSecretId,
      },
      'sk-of-vault',
    ],
    ['secret/data/openai', { vault_auth_type: 'kubernetes', vault_role: 'stub' }, 'sk-of-vault'],
  ])('reads the secret at %s with %j', async (path, more, secret) => {
    expect(JSON.parse(await reader()(at('vendor3_vault', path, vault(more))))).toEqual({ api_key: secret });
  });

  it('rejects a wrong token, and shows a service account only to trusted hosts', async () => {
    const wrong = at('vendor3_vault', 'kv/openai', vault({ vault_token: 'wrong' }));
    await expect(reader()(wrong)).rejects.toMatchObject({ failure: 'denied' });
    const before = managers.stub.requests.length;
    const kubernetes = at(
      'vendor3_vault',
      'kv/openai',
      vault({ vault_auth_type: 'kubernetes', vault_role: 'stub' }),
    );
    await expect(reader({}, [])(kubernetes)).rejects.toMatchObject({ failure: 'refused' });
    expect(managers.stub.requests).toHaveLength(before);
  });
});

describe('secret manager calls', () => {
  it('opens no connection to an address that the policy refuses', async () => {
    const before = managers.stub.connections;
    const denied = reader({}, []);
    await expect(denied(at('vendor3_vault', 'kv/openai', vault()))).rejects.toMatchObject({
      failure: 'refused',
    });
    await expect(denied(at('cloud2_kv', 'openai-key', entra()))).rejects.toMatchObject({
      failure: 'refused',
    });
    // Only the login was sent: the installation chose the URL of the authority.
    expect(managers.stub.connections - before).toBe(1);
  });

  it.each([
    [{ status: 503 }, 'unreachable'],
    [{ status: 429 }, 'unreachable'],
    [{ raw: '' }, 'unreachable'],
    [{ status: 200, body: 'no JSON' }, 'not_found'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'invalid'],
    [{ status: 200, body: 'x'.repeat(300_000) }, 'unreachable'],
  ])('maps the response %j to %s, without repeating what was sent', async (outage, failure) => {
    managers.outage = outage;
    const read = reader()(at('vendor3_vault', 'kv/openai', vault()));
    await expect(read).rejects.toMatchObject({ failure });
    await read.catch((error: Error) => {
      expect(error.message).not.toContain(STUB_ACCESS.vaultToken);
    });
  });
});
