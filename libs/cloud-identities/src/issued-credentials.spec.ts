import { mkdtempSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CloudIdentity, OAuthClient, WorkloadToken } from '@gw/contracts';
import { readSettings, VendorError } from '@gw/kernel';
import { eventually, STUB_IDENTITY, StubTokenServices } from '@gw/testing';
import { IssuedCredentials } from './issued-credentials';
import { CLOUD_IDENTITY_SETTINGS, ownEndpoints } from './settings';

const WORKSPACE = '0198f000-0000-7000-8000-000000000001';
const REGION = 'eu-central-1';
const SCOPE = 'https://cognitiveservices.azure.com/.default';
const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, `${STUB_IDENTITY.workloadToken}\n`);

let services: StubTokenServices;
let now = Date.now();

beforeEach(async () => {
  services = await StubTokenServices.start();
  now = Date.now();
});
afterEach(() => services.stop());

function issuer(environment: Record<string, string> = {}, most = 100): IssuedCredentials {
  const settings = readSettings(CLOUD_IDENTITY_SETTINGS, {
    ...services.settings,
    AWS_ACCESS_KEY_ID: STUB_IDENTITY.awsKeyId,
    AWS_SECRET_ACCESS_KEY: STUB_IDENTITY.awsSecret,
    WIF_TOKEN_DIRS: folder,
    ...environment,
  });
  return new IssuedCredentials(
    {
      calls: services.calls(ownEndpoints(settings)),
      settings,
      readFile: (path) => readFile(path, 'utf8'),
      now: () => now,
    },
    { most, random: () => 0.5 },
  );
}

const issue = async (identity: CloudIdentity, environment: Record<string, string> = {}, mayUseOwn = true) =>
  issuer(environment).of(identity, { workspaceId: WORKSPACE, mayUseOwn });

const clientFacts = () => ({
  endpoint: `${services.origin}/oauth`,
  id: STUB_IDENTITY.oauthClient,
  ...{ scope: null, audience: null, resource: null },
});
type SecretClient = Extract<OAuthClient, { readonly secret: string }>;
const client = (more: Partial<SecretClient> = {}): CloudIdentity => ({
  kind: 'oauth_client',
  client: {
    ...clientFacts(),
    ...{ secret: STUB_IDENTITY.oauthSecret, method: 'client_secret_post' as const, ...more },
  },
});
type SigningClient = Extract<OAuthClient, { method: 'private_key_jwt' }>;
const signing = (more: Partial<SigningClient> = {}): CloudIdentity => ({
  kind: 'oauth_client',
  client: {
    ...{ ...clientFacts(), method: 'private_key_jwt', privateKey: STUB_IDENTITY.keyFile.private_key },
    ...{ issuer: `${services.origin}/oauth`, keyId: null, algorithm: null },
    ...more,
  },
});
const entra = (more: object = {}): CloudIdentity => ({
  kind: 'entra_client',
  tenant: STUB_IDENTITY.entraTenant,
  clientId: STUB_IDENTITY.entraClient,
  clientSecret: STUB_IDENTITY.entraSecret,
  scope: SCOPE,
  ...more,
});
const key = (more: object = {}): CloudIdentity => ({
  kind: 'google_key',
  json: JSON.stringify({ ...STUB_IDENTITY.keyFile, ...more }),
});
const workload = (more: Partial<WorkloadToken> = {}): WorkloadToken => ({
  source: 'file',
  file: tokenFile,
  audience: null,
  ...more,
});
const pool = (source: WorkloadToken['source']): CloudIdentity => ({
  kind: 'google_workload',
  token: workload({ source, audience: STUB_IDENTITY.pool }),
  serviceAccount: STUB_IDENTITY.serviceAccount,
});
const external = (more: object = {}): string =>
  JSON.stringify({
    type: 'external_account',
    audience: STUB_IDENTITY.pool,
    token_url: 'https://sts.googleapis.com/v1/token',
    credential_source: { file: tokenFile },
    ...more,
  });
const role = { region: REGION, roleArn: STUB_IDENTITY.roleArn };
const without = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
const entraTenant = {
  AZURE_TENANT_ID: STUB_IDENTITY.entraTenant,
  AZURE_CLIENT_ID: STUB_IDENTITY.entraClient,
};
const session = { kind: 'aws', keys: { accessKeyId: 'ASIASTUB00000000MADE', sessionToken: 'session-1' } };

describe('IssuedCredentials: sources', () => {
  it.each<[string, () => CloudIdentity, Record<string, string>, object]>([
    ['an OAuth client, secret in the form', client, {}, { token: 'oauth-token-1' }],
    [
      'an OAuth client, basic authentication',
      () => client({ method: 'client_secret_basic' }),
      {},
      { token: 'oauth-token-1' },
    ],
    ['an OAuth client with a key', () => signing(), {}, { token: 'oauth-token-1' }],
    ['an application of Entra', entra, {}, { token: 'entra-token-1' }],
    ['a service account of Google', key, {}, { token: 'google-token-1' }],
    ['the machine at Google', () => ({ kind: 'google_own' }), {}, { token: 'metadata-token-1' }],
    ['a token file at Google', () => pool('file'), {}, { token: 'account-token-2' }],
    ['the metadata server at Google', () => pool('gcp_metadata'), {}, { token: 'account-token-2' }],
    [
      'the managed identity at Google',
      () => pool('azure_imds'),
      { IDENTITY_ENDPOINT: 'here' },
      { token: 'account-token-2' },
    ],
    ['keys of AWS at Google', () => pool('aws'), {}, { token: 'account-token-2' }],
    [
      'an external account of Google',
      () => ({ kind: 'google_key', json: external() }),
      {},
      { token: 'federated-token-1' },
    ],
    [
      'the managed identity',
      () => ({ kind: 'azure_own', clientId: null, scope: SCOPE }),
      { IDENTITY_ENDPOINT: 'here' },
      { token: 'managed-token-1' },
    ],
    [
      'the workload identity of Azure',
      () => ({ kind: 'azure_workload', tenant: null, clientId: null, scope: SCOPE, token: null }),
      { ...entraTenant, AZURE_FEDERATED_TOKEN_FILE: tokenFile },
      { token: 'entra-token-1' },
    ],
    [
      'a token file at Entra',
      () => ({
        kind: 'azure_workload',
        tenant: STUB_IDENTITY.entraTenant,
        clientId: STUB_IDENTITY.entraClient,
        scope: SCOPE,
        token: workload(),
      }),
      {},
      { token: 'entra-token-1' },
    ],
    ['keys of the environment', () => ({ kind: 'aws_own', region: REGION }), {}, { kind: 'aws' }],
    [
      'the token file of the service account',
      () => ({ kind: 'aws_own', region: REGION }),
      { ...without, AWS_ROLE_ARN: STUB_IDENTITY.roleArn, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile },
      session,
    ],
    [
      'the container',
      () => ({ kind: 'aws_own', region: REGION }),
      {
        ...without,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'here',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
      },
      session,
    ],
    ['the machine at AWS', () => ({ kind: 'aws_own', region: REGION }), without, session],
    ['a role with the external id of the workspace', () => ({ kind: 'aws_role', ...role }), {}, session],
    ['a token file at AWS', () => ({ kind: 'aws_workload', ...role, token: workload() }), {}, session],
  ])('gets a credential from %s', async (_name, identity, environment, expected) => {
    const here = { IDENTITY_ENDPOINT: '/identity', AWS_CONTAINER_CREDENTIALS_FULL_URI: '/container' };
    const placed = Object.entries(environment).map(([name, value]): [string, string] => [
      name,
      value === 'here' ? services.origin + here[name as keyof typeof here] : value,
    ]);
    expect(await issue(identity(), Object.fromEntries(placed))).toMatchObject(expected);
  });

  it.each<[string, () => CloudIdentity, string]>([
    ['a wrong secret', () => client({ secret: 'x' }), 'denied'],
    ['an assertion for another server', () => signing({ issuer: 'https://as.example.com' }), 'denied'],
    ['a key that cannot be read', () => signing({ privateKey: 'x' }), 'invalid'],
    ['an algorithm of another key', () => signing({ algorithm: 'ES256' }), 'invalid'],
    ['a tenant that is no name', () => entra({ tenant: '../common' }), 'invalid'],
    ['a wrong secret of Entra', () => entra({ clientSecret: 'x' }), 'denied'],
    ['a key file that names another host', () => key({ token_uri: 'https://evil.example/token' }), 'refused'],
    ['a key file without a key', () => key({ private_key: 'x' }), 'invalid'],
    [
      'an external account that names another token service',
      () => ({ kind: 'google_key', json: external({ token_url: 'https://evil.example/' }) }),
      'refused',
    ],
    [
      'an external account that acts elsewhere',
      () => ({
        kind: 'google_key',
        json: external({ service_account_impersonation_url: 'https://evil.example/' }),
      }),
      'refused',
    ],
    [
      'an external account that reads a URL',
      () => ({ kind: 'google_key', json: external({ credential_source: { url: 'http://10.0.0.1/' } }) }),
      'refused',
    ],
    [
      'a token file elsewhere',
      () => ({ kind: 'aws_workload', ...role, token: workload({ file: `${folder}/../secret` }) }),
      'refused',
    ],
    [
      'a role that does not trust',
      () => ({ kind: 'aws_role', region: REGION, roleArn: 'arn:aws:iam::1:role/x' }),
      'denied',
    ],
    ['a region that is no name', () => ({ kind: 'aws_role', ...role, region: 'evil.example/' }), 'invalid'],
    [
      'keys of AWS at AWS',
      () => ({ kind: 'aws_workload', ...role, token: workload({ source: 'aws' }) }),
      'invalid',
    ],
  ])('refuses %s', async (_name, identity, failure) => {
    await expect(issue(identity())).rejects.toMatchObject({ failure });
  });

  it('refuses an external account where the installation’s identity may not be used', async () => {
    const identity: CloudIdentity = { kind: 'google_key', json: external() };
    await expect(issue(identity, {}, false)).rejects.toMatchObject({ failure: 'refused' });
  });

  it('never names a secret or a token in an error', async () => {
    services.outage = { status: 500, body: `echo ${STUB_IDENTITY.oauthSecret}` };
    const failure: unknown = await issue(client()).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(VendorError);
    expect(String(failure)).not.toContain(STUB_IDENTITY.oauthSecret);
  });
});

describe('IssuedCredentials: cache', () => {
  const issuing = { workspaceId: WORKSPACE, mayUseOwn: true };

  it('makes one call for all requests of a workspace, and one for each workspace', async () => {
    const credentials = issuer();
    const all = await Promise.all(Array.from({ length: 50 }, async () => credentials.of(client(), issuing)));
    expect(new Set(all).size).toBe(1);
    expect(credentials.of(client(), issuing)).toBe(all[0]);
    await credentials.of(client(), { ...issuing, workspaceId: 'another' });
    expect(services.issued).toBe(2);
  });

  it('renews a credential in the background before it expires, and returns the old one meanwhile', async () => {
    const credentials = issuer();
    const first = await credentials.of(client(), issuing);
    now += 3_600_000 - 720_000;
    expect(credentials.of(client(), issuing)).toBe(first);
    now += 720_000 - 30_000;
    expect(await credentials.of(client(), issuing)).toEqual({ kind: 'bearer', token: 'oauth-token-2' });
  });

  it('returns a credential until it expires while the service is down, and retries with growing waits', async () => {
    const credentials = issuer();
    const first = await credentials.of(client(), issuing);
    services.outage = { status: 503 };
    now += 3_600_000 - 200_000;
    for (let second = 0; second < 130; second += 1) {
      expect(credentials.of(client(), issuing)).toBe(first);
      await eventually(() => services.stub.requests.length > 1);
      now += 1_000;
    }
    // Retries after 1, 2, 4, 8, 16, 32 and 60 seconds.
    expect(services.stub.requests.length).toBeLessThanOrEqual(9);
    now += 100_000;
    await expect(Promise.resolve().then(() => credentials.of(client(), issuing))).rejects.toMatchObject({
      failure: 'unreachable',
    });
  });

  it('requests a new credential as soon as the old one has expired, however often it failed before', async () => {
    const settings = readSettings(CLOUD_IDENTITY_SETTINGS, {});
    let isAway = false;
    const call = () =>
      isAway
        ? Promise.reject(new VendorError('unreachable', 'away'))
        : Promise.resolve({ status: 200, text: '{"access_token":"token","expires_in":3600}' });
    const tools = { calls: { tenants: call, vendors: call, machine: call }, settings, now: () => now };
    const credentials = new IssuedCredentials({ ...tools, readFile: () => Promise.resolve('') });
    const expiresAt = now + 3_600_000;
    await credentials.of(client(), issuing);
    isAway = true;
    for (now = expiresAt - 600_000; now < expiresAt; now += 1_000) {
      await credentials.of(client(), issuing);
      await setImmediate();
    }
    isAway = false;
    now = expiresAt;
    expect(await credentials.of(client(), issuing)).toEqual({ kind: 'bearer', token: 'token' });
  });

  it("never returns the installation's credential to an integration that may not use it", async () => {
    const credentials = issuer();
    const identity: CloudIdentity = { kind: 'google_key', json: external() };
    await credentials.of(identity, issuing);
    await expect(
      Promise.resolve().then(() => credentials.of(identity, { ...issuing, mayUseOwn: false })),
    ).rejects.toMatchObject({ failure: 'refused' });
  });

  it('requests a refused credential at most once in ten seconds', async () => {
    const credentials = issuer();
    const wrong = client({ secret: 'x' });
    const denied = { failure: 'denied' };
    await expect(credentials.of(wrong, issuing)).rejects.toMatchObject(denied);
    expect(() => credentials.of(wrong, issuing)).toThrow(VendorError);
    expect(services.stub.requests).toHaveLength(1);
    now += 10_000;
    await expect(credentials.of(wrong, issuing)).rejects.toMatchObject(denied);
    expect(services.stub.requests).toHaveLength(2);
  });

  it('drops a credential that a provider refuses, at most once in ten seconds', async () => {
    const credentials = issuer();
    await credentials.of(client(), issuing);
    expect(credentials.drop(client(), issuing)).toBe(true);
    expect(await credentials.of(client(), issuing)).toMatchObject({ token: 'oauth-token-2' });
    expect(credentials.drop(client(), issuing)).toBe(false);
    now += 10_000;
    expect(credentials.drop(client(), issuing)).toBe(true);
  });

  it('drops the least recently used credential beyond its maximum', async () => {
    const credentials = issuer({}, 2);
    for (const scope of ['a', 'b', 'c']) await credentials.of(client({ scope }), issuing);
    expect(credentials.size).toBe(2);
  });

  it('never drops a credential of one workspace for those of another', async () => {
    const credentials = issuer({}, 1_000);
    const first = await credentials.of(client(), issuing);
    for (let at = 0; at < 300; at += 1)
      await credentials.of(client({ scope: String(at) }), { ...issuing, workspaceId: 'another' });
    expect(credentials.size).toBe(257);
    expect(credentials.of(client(), issuing)).toBe(first);
  });
});
