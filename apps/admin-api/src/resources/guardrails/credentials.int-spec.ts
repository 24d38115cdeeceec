import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  documentKey,
  guardrailBinding,
  type GuardrailDocument,
  type GuardrailSecretContent,
} from '@gw/contracts';
import { ChangeEventEntity } from '@gw/entities';
import { unseal } from '@gw/kernel';
import { STUB_ACCESS, StubSecretManagers } from '@gw/testing';
import { Secrets } from '../../settings';
import {
  MASTER_KEY,
  SERVICE_TOKEN,
  TestAdminApi,
  type GatewayResponse,
  type Tenant,
} from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

const api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
const keyring = new Secrets(MASTER_KEY, SERVICE_TOKEN).sealingKeyring;
const SECRET = 'CANARY-0123456789';
let tenant: Tenant;
let managers: StubSecretManagers;
const keys: (string | undefined)[] = [];
const partner = createServer((request, response) => {
  keys.push(request.headers['authorization']);
  response.setHeader('content-type', 'application/json').end('{"flagged":true}');
});

beforeAll(async () => {
  managers = await StubSecretManagers.start();
  managers.secrets.set('secret/data/lakera', JSON.stringify({ api_key: SECRET }));
  partner.listen(0, '127.0.0.1');
  await once(partner, 'listening');
});
afterAll(async () => {
  await managers.stop();
  partner.closeAllConnections();
  partner.close();
  await once(partner, 'close');
});
beforeEach(async () => {
  tenant = await api.tenant();
});

const endpoint = (): string => `http://127.0.0.1:${String((partner.address() as AddressInfo).port)}`;

interface Saved {
  readonly id: string;
  readonly slug: string;
}

const save = (
  parameters: object,
  id = 'lakera.guard',
  key = tenant.key,
): Promise<GatewayResponse<Saved & Failure>> =>
  api.post('/v1/guardrails', {
    key,
    body: { name: 'A', checks: [{ id, parameters }], actions: { deny: true, timeout: 60_000 } },
  });

const account = (
  credentials: object,
  plugin_provider_id = 'lakera',
): Promise<GatewayResponse<Saved & Failure>> =>
  api.post('/v1/plugins', { key: tenant.adminKey, body: { plugin_provider_id, credentials } });

async function reference(more: object = {}): Promise<Saved> {
  const { body } = await api.post<Saved>('/v1/secret-references', {
    key: tenant.adminKey,
    body: {
      name: 'Lakera',
      manager_type: 'vendor3_vault',
      auth_config: {
        vault_auth_type: 'token',
        vault_addr: managers.origin,
        vault_token: STUB_ACCESS.vaultToken,
      },
      secret_path: 'secret/data/lakera',
      secret_key: 'api_key',
      ...more,
    },
  });
  return body;
}

async function documentOf(slug: string): Promise<GuardrailDocument> {
  const key = documentKey.guardrail(tenant.workspaceId, slug);
  const { body } = await api.post<{ documents: Record<string, GuardrailDocument> }>(
    '/internal/v1/documents',
    {
      token: SERVICE_TOKEN,
      body: { keys: [key] },
    },
  );
  const document = body.documents[key];
  if (!document) throw new Error('There is no such document.');
  return document;
}

function contentOf({ sealedSecrets, organisationId, id }: GuardrailDocument): GuardrailSecretContent {
  if (sealedSecrets === null) return { parameters: {}, locations: {} };
  const text = unseal(keyring, sealedSecrets, guardrailBinding(organisationId, id)).toString('utf8');
  return JSON.parse(text) as GuardrailSecretContent;
}

const lastChange = async (): Promise<readonly string[]> => {
  const [event] = await api.dataSource.manager.find(ChangeEventEntity, {
    order: { sequence: 'DESC' },
    take: 1,
  });
  return event?.changed ?? [];
};

describe('credentials of partner checks', () => {
  it('use the organisation’s account, and are published sealed with the guardrail', async () => {
    expect((await save({})).status).toBe(400);
    await account({ apiKey: SECRET, other: 'x' });
    const { body, status } = await save({});
    expect(status).toBe(200);
    const document = await documentOf(body.slug);
    expect(JSON.stringify(document)).not.toContain('CANARY');
    expect(contentOf(document).parameters).toEqual({ 0: { apiKey: SECRET } });
    const shown = await api.get(`/v1/guardrails/${body.slug}`, tenant);
    expect(shown.text).not.toContain('CANARY');
  });

  it('republish guardrails when the account changes, and keep the account while a guardrail uses it', async () => {
    const plugin = await account({ apiKey: SECRET });
    const { body } = await save({});
    const before = await documentOf(body.slug);
    const put = (change: object): Promise<GatewayResponse<Failure>> =>
      api.put(`/v1/plugins/${plugin.body.id}`, { key: tenant.adminKey, body: change });
    await put({ credentials: { apiKey: 'another' } });
    expect(await lastChange()).toContain(documentKey.guardrail(tenant.workspaceId, body.slug));
    const after = await documentOf(body.slug);
    expect([contentOf(after).parameters, after.version === before.version]).toEqual([
      { 0: { apiKey: 'another' } },
      false,
    ]);
    const refused = await put({ status: 'archived' });
    expect([refused.status, refused.body.error.details?.[0]?.path]).toEqual([409, `guardrails.${body.slug}`]);
    await api.delete(`/v1/guardrails/${body.slug}`, { key: tenant.key });
    expect((await put({ status: 'archived' })).status).toBe(200);
  });

  it('do not combine the account’s credential with an address or credential of the guardrail', async () => {
    await account({ apiKey: SECRET });
    expect((await save({ endpoint: 'https://evil.example.com' })).status).toBe(400);
    const own = await save({ endpoint: 'https://own.example.com', apiKey: 'OWN-0123456789' });
    expect(contentOf(await documentOf(own.body.slug)).parameters).toEqual({
      0: { apiKey: 'OWN-0123456789' },
    });
    await account({ accessKeyId: 'AKIDEXAMPLE000000', secretAccessKey: SECRET }, 'bedrock');
    const bedrock = { guardrailId: 'abc', region: 'eu-central-1' };
    const mine = await save({ ...bedrock, apiKey: 'OWN' }, 'bedrock.guard');
    expect(contentOf(await documentOf(mine.body.slug)).parameters).toEqual({ 0: { apiKey: 'OWN' } });
    const theirs = await save(bedrock, 'bedrock.guard');
    expect(contentOf(await documentOf(theirs.body.slug)).parameters).toEqual({
      0: { accessKeyId: 'AKIDEXAMPLE000000', secretAccessKey: SECRET },
    });
    const stranger = await api.tenant();
    expect((await save({}, 'lakera.guard', stranger.key)).status).toBe(400);
  });

  it('publish only the location of a secret in a secret manager, and do not read the secret', async () => {
    const { id, slug } = await reference();
    const { body } = await save({ apiKey: { secret_reference_id: slug } });
    const document = await documentOf(body.slug);
    expect(document.checks[0]?.parameters).toEqual({ apiKey: { secret_reference_id: id } });
    expect(contentOf(document)).toMatchObject({
      parameters: {},
      locations: { [`${id}#`]: { path: 'secret/data/lakera', key: 'api_key' } },
    });
    expect(JSON.stringify(document)).not.toContain(STUB_ACCESS.vaultToken);
    await api.post(`/v1/secret-references/${id}/rotate`, { key: tenant.adminKey });
    expect(await lastChange()).toContain(documentKey.guardrail(tenant.workspaceId, body.slug));
    expect((await documentOf(body.slug)).version).not.toBe(document.version);
    const refused = await api.delete<Failure>(`/v1/secret-references/${id}`, { key: tenant.adminKey });
    expect([refused.status, refused.text.includes('guardrails')]).toEqual([400, true]);
  });

  it('refuse a secret reference that is unknown or not allowed for the workspace', async () => {
    const closed = await reference({ allowed_workspaces: [await api.workspace(tenant.organisationId)] });
    const foreign = tenant;
    for (const id of [closed.slug, 'nothing', '018f0000-0000-7000-8000-000000000000']) {
      const response = await save({ apiKey: { secret_reference_id: id } });
      expect([response.status, response.body.error.param]).toEqual([
        400,
        'checks.0.parameters.apiKey.secret_reference_id',
      ]);
    }
    const own = await reference();
    tenant = await api.tenant();
    expect((await save({ apiKey: { secret_reference_id: own.id } })).status).toBe(400);
    tenant = foreign;
    // In a workspace that may not use the secret, a guardrail of the organisation runs without it.
    const common = await save(
      { apiKey: { secret_reference_id: closed.id } },
      'lakera.guard',
      tenant.adminKey,
    );
    expect(contentOf(await documentOf(common.body.slug)).locations).toEqual({ [`${closed.id}#`]: null });
  });

  it('use secret references and accounts when a guardrail is invoked', async () => {
    const { slug } = await reference();
    // Only a caller who may change a reference may choose an address for its secret.
    const parameters = { apiKey: { secret_reference_id: slug }, endpoint: endpoint() };
    expect((await save(parameters)).status).toBe(403);
    const named = await save(parameters, 'lakera.guard', tenant.adminKey);
    await account({ apiKey: 'OF-THE-ACCOUNT', endpoint: endpoint() });
    const taken = await save({});
    for (const { body } of [named, taken]) {
      const invoked = await api.post<{ outcome: string }>(`/v1/guardrails/${body.slug}/invoke`, {
        key: tenant.key,
        body: { text: 'hello' },
      });
      expect([invoked.body.outcome, invoked.text.includes('CANARY')]).toEqual(['deny', false]);
    }
    expect(keys.slice(-2)).toEqual([`Bearer ${SECRET}`, 'Bearer OF-THE-ACCOUNT']);
  });
});

describe('configs and providers through which checks call models', () => {
  const config = async (): Promise<Saved> =>
    (
      await api.post<Saved>('/v1/configs', {
        key: tenant.key,
        body: { name: 'Judge', config: { retry: { attempts: 1 } } },
      })
    ).body;
  const judge = (target: object): object => ({ criteria: 'No advice.', ...target });

  it('must belong to the guardrail’s workspace [GRD-02]', async () => {
    const { id, slug } = await config();
    for (const name of [id, slug])
      expect((await save(judge({ config: name }), 'gw.llmJudge')).status).toBe(200);
    const bad = await save(judge({ config: 'pc-none' }), 'gw.llmJudge');
    expect([bad.status, bad.body.error.details?.[0]?.path]).toEqual([400, 'checks.0.parameters.config']);
    const none = await save(judge({ provider: '@none', model: 'm' }), 'gw.llmJudge');
    expect([none.status, none.body.error.details?.[0]?.path]).toEqual([400, 'checks.0.parameters.provider']);
    expect((await save(judge({}), 'gw.llmJudge')).status).toBe(400);
    const common = await save(judge({ config: 'pc-each-its-own' }), 'gw.llmJudge', tenant.adminKey);
    expect(common.status).toBe(200);
    tenant = await api.tenant();
    expect((await save(judge({ config: slug }), 'gw.llmJudge')).status).toBe(400);
  });

  it('cannot be deleted while a guardrail uses the config', async () => {
    const { slug } = await config();
    const { body } = await save(judge({ config: slug }), 'gw.llmJudge');
    const drop = (): Promise<GatewayResponse<Failure>> =>
      api.delete(`/v1/configs/${slug}`, { key: tenant.key });
    const refused = await drop();
    expect([refused.status, refused.body.error.details?.[0]?.path]).toEqual([409, `guardrails.${body.slug}`]);
    await api.delete(`/v1/guardrails/${body.slug}`, { key: tenant.key });
    expect((await drop()).status).toBe(200);
  });
});
