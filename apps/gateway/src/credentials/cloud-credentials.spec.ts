import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAwsSigned, STUB_IDENTITY, StubProvider, StubTokenServices, type StubResponse } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const BODY = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const COMPLETION = { object: 'chat.completion', choices: [{ message: { content: 'Sunny' } }] };
const CONVERSED = {
  output: { message: { role: 'assistant', content: [{ text: 'Sunny' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};

const folder = mkdtempSync(join(tmpdir(), 'workload-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, STUB_IDENTITY.workloadToken);

describe('credentials of token services', () => {
  let services: StubTokenServices;
  let stub: StubProvider;
  let gateway: GatewayHarness;

  const start = async (environment: Record<string, string> = {}): Promise<void> => {
    gateway = await GatewayHarness.start({
      ...services.settings,
      WIF_TOKEN_DIRS: folder,
      AWS_ACCESS_KEY_ID: STUB_IDENTITY.awsKeyId,
      AWS_SECRET_ACCESS_KEY: STUB_IDENTITY.awsSecret,
      ...environment,
    });
  };
  beforeEach(async () => {
    services = await StubTokenServices.start();
    stub = await StubProvider.start();
    await start();
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), services.stop()]);
  });

  const add = (slug: string, provider: string, configurations: object): void =>
    gateway.addProvider(slug, provider, null, {
      sealedCredential: null,
      configurations: { custom_host: stub.origin, ...configurations },
    });
  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': gateway.apiKey, ...headers },
      body: JSON.stringify(BODY),
    });
  const errorOf = async (response: Response): Promise<object> => ({
    status: response.status,
    ...((await response.json()) as { error: object }).error,
  });
  const oauth = (more: object = {}): object => ({
    auth_type: 'oauthClientCredentials',
    oauth_token_endpoint: `${services.origin}/oauth`,
    oauth_client_id: STUB_IDENTITY.oauthClient,
    oauth_client_secret: STUB_IDENTITY.oauthSecret,
    ...more,
  });
  const refusing = (token: string): void =>
    stub.respond(({ headers }): StubResponse =>
      headers['authorization'] === `Bearer ${token}`
        ? { status: 401, body: { error: { message: `The token ${token} is over.` } } }
        : { body: COMPLETION },
    );

  it('a provider gets the token of an OAuth client, fetched once [SCP-05] [REL-03]', async () => {
    add('own', 'groq', oauth());
    stub.respondJson(COMPLETION);
    const all = await Promise.all(Array.from({ length: 20 }, () => ask({ 'x-gw-provider': '@own' })));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer oauth-token-1');
    expect(services.issued).toBe(1);
  });

  it('a call whose token the provider refuses is made once more, with a new one', async () => {
    add('own', 'groq', oauth());
    refusing('oauth-token-1');
    expect((await ask({ 'x-gw-provider': '@own' })).status).toBe(200);
    expect(stub.requests).toHaveLength(2);
    expect(services.issued).toBe(2);
    expect(await gateway.records()).toMatchObject([{ outcome: 'ok' }]);
  });

  it('a provider that refuses every token is not called again and again, and its error has no token', async () => {
    add('own', 'groq', oauth());
    stub.respond(({ headers }) => ({
      status: 401,
      body: { error: { message: `No: ${String(headers['authorization'])}` } },
    }));
    const response = await ask({ 'x-gw-provider': '@own' });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('oauth-token');
    expect(stub.requests).toHaveLength(2);
    await ask({ 'x-gw-provider': '@own' });
    expect(stub.requests).toHaveLength(3);
  });

  it('reports which source failed, and never its secret', async () => {
    add('own', 'groq', oauth({ oauth_client_secret: 'a-wrong-secret' }));
    const error = await errorOf(await ask({ 'x-gw-provider': '@own' }));
    expect(error).toMatchObject({
      status: 502,
      type: 'provider_credential_failed',
      provider: '@own',
      source: 'oauth_client',
    });
    expect(JSON.stringify(error)).not.toContain('a-wrong-secret');
    expect(stub.requests).toHaveLength(0);
  });

  it('a fallback goes on when a credential cannot be obtained', async () => {
    add('own', 'groq', oauth({ oauth_client_secret: 'a-wrong-secret' }));
    gateway.addProvider('keyed', 'groq', stub.origin);
    stub.respondJson(COMPLETION);
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@own' }, { provider: '@keyed' }],
    };
    expect((await ask({ 'x-gw-config': JSON.stringify(config) })).status).toBe(200);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-keyed');
  });

  it.each([
    ['an assumed role', { aws_auth_type: 'assumedRole', aws_role_arn: STUB_IDENTITY.roleArn }],
    ['the role of the machine', { aws_auth_type: 'serviceRole' }],
    [
      'a role for the token of the workload [SCP-06]',
      {
        ...{ aws_auth_type: 'wif', aws_role_arn: STUB_IDENTITY.roleArn },
        ...{ wif_token_source: 'file', wif_token_file: tokenFile },
      },
    ],
  ])('Bedrock is called with the keys of %s', async (_name, fields) => {
    await gateway.stop();
    await start('aws_role_arn' in fields ? {} : { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' });
    add('aws', 'bedrock', { aws_region: 'eu-central-1', ...fields });
    stub.respond((request) =>
      isAwsSigned(request, 'bedrock', services.roleKeys) ? { body: CONVERSED } : { status: 403, body: {} },
    );
    expect((await ask({ 'x-gw-provider': '@aws' })).status).toBe(200);
    expect(services.issued).toBe(1);
  });

  it('keys that AWS no longer knows are replaced', async () => {
    add('aws', 'bedrock', {
      aws_region: 'eu-central-1',
      aws_auth_type: 'assumedRole',
      aws_role_arn: STUB_IDENTITY.roleArn,
    });
    stub.respond(({ headers }) =>
      headers['x-amz-security-token'] === 'session-1'
        ? { status: 403, headers: { 'x-amzn-errortype': 'ExpiredTokenException:http://internal/' }, body: {} }
        : { body: CONVERSED },
    );
    expect((await ask({ 'x-gw-provider': '@aws' })).status).toBe(200);
    expect(services.issued).toBe(2);
  });

  it.each([
    [
      'an application of Entra',
      {
        azure_auth_mode: 'entra',
        azure_entra_tenant_id: STUB_IDENTITY.entraTenant,
        azure_entra_client_id: STUB_IDENTITY.entraClient,
        azure_entra_client_secret: STUB_IDENTITY.entraSecret,
      },
      'entra-token-1',
    ],
    ['a managed identity', { azure_auth_mode: 'managed' }, 'managed-token-1'],
  ])('Azure OpenAI gets a token of %s', async (_name, fields, token) => {
    await gateway.stop();
    await start({ IDENTITY_ENDPOINT: `${services.origin}/identity` });
    add('azure', 'azure-openai', { azure_resource_name: 'r', ...fields });
    stub.respondJson(COMPLETION);
    expect((await ask({ 'x-gw-provider': '@azure' })).status).toBe(200);
    expect(stub.lastRequest.headers).toMatchObject({ authorization: `Bearer ${token}` });
    expect(stub.lastRequest.headers['api-key']).toBeUndefined();
  });

  describe('the identity of the installation', () => {
    const own = { azure_auth_mode: 'managed', azure_resource_name: 'r' };

    it('is not used for integrations unless the operator allows it', async () => {
      await gateway.stop();
      await start({ ALLOW_AMBIENT_CLOUD_CREDENTIALS: 'false' });
      add('azure', 'azure-openai', own);
      expect(await errorOf(await ask({ 'x-gw-provider': '@azure' }))).toMatchObject({
        status: 502,
        type: 'provider_credential_failed',
      });
      expect(services.stub.requests).toHaveLength(0);
    });

    it('is never sent to another host than the provider’s own or a trusted one', async () => {
      add('azure', 'azure-openai', { ...own, custom_host: 'https://models.example.com' });
      expect(await errorOf(await ask({ 'x-gw-provider': '@azure' }))).toMatchObject({ status: 502 });
      expect(services.stub.requests).toHaveLength(0);
    });

    it('is never used for a provider that the request names', async () => {
      const config = { provider: 'bedrock', aws_region: 'eu-central-1', aws_auth_type: 'serviceRole' };
      const response = await ask({ 'x-gw-config': JSON.stringify(config) });
      expect(await errorOf(response)).toMatchObject({ status: 502, type: 'provider_credential_failed' });
      expect(services.stub.requests).toHaveLength(0);
    });
  });
});
