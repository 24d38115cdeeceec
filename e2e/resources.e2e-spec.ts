import { eventually, STUB_ACCESS, StubSecretManagers, type StubProvider } from '@gw/testing';

import { OPENAI_CHAT } from './spec-support/fake-openai';
import { CHANGE_MS, withProductOn, type Call, type Drivers } from './spec-support/workbench';

describe.each<Drivers>(['embedded', 'Redis'])('resources at the gateway with the %s drivers', (drivers) => {
  const { bench } = withProductOn(drivers);
  let stub: StubProvider;
  let other: StubProvider;
  let managers: StubSecretManagers;

  beforeAll(async () => {
    stub = await bench().stub();
    other = await bench().stub();
    for (const one of [stub, other]) one.respondJson(OPENAI_CHAT);
    managers = await StubSecretManagers.start();
  });
  afterAll(() => managers.stop());
  beforeEach(() => {
    managers.outage = null;
  });

  const admin = <T = { id: string; slug: string }>(method: string, path: string, body?: object): Promise<T> =>
    bench().manage(method, path, { key: bench().adminKey, ...(body ? { body } : {}) });

  async function typeOf(headers: Readonly<Record<string, string>>, options: Call = {}): Promise<string> {
    const { status, body } = await bench().chat(headers, options);
    return status === 200 ? 'ok' : ((body['error'] as { type?: string } | undefined)?.type ?? String(status));
  }

  const becomes = (
    expected: string,
    headers: Readonly<Record<string, string>>,
    options: Call = {},
  ): Promise<unknown> =>
    eventually(
      async () => {
        expect(await typeOf(headers, options)).toBe(expected);
        return true;
      },
      { timeoutMs: CHANGE_MS, everyMs: 20 },
    );

  const reference = (slug: string): Promise<{ id: string }> =>
    admin('POST', '/secret-references', {
      name: slug,
      slug,
      manager_type: 'vendor3_vault',
      auth_config: {
        vault_auth_type: 'approle',
        vault_addr: managers.origin,
        vault_role_id: STUB_ACCESS.vaultRole,
        vault_secret_id: STUB_ACCESS.vaultSecretId,
      },
      secret_path: `secret/data/${slug}`,
      secret_key: 'api_key',
    });

  const mapped = (
    slug: string,
    workspaceId = bench().product.credentials.workspace_id,
  ): Promise<{ id: string }> =>
    admin('POST', '/integrations', {
      name: slug,
      slug: `${slug}-integration`,
      ai_provider_id: 'openai',
      workspace_id: workspaceId,
      default_provider_slug: slug,
      configurations: { custom_host: `${stub.origin}/v1` },
      secret_mappings: [{ target_field: 'key', secret_reference_id: slug }],
    });

  it('[SRF-03] uses a key from a secret manager, the new one after a rotation, and logs neither', async () => {
    managers.secrets.set('secret/data/rotating', '{"api_key":"sk-vaulted-first"}');
    await reference('rotating');
    await mapped('rotating');
    const headers = { 'x-gw-provider': '@rotating' };
    await becomes('ok', headers);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-vaulted-first');
    const reads = managers.reads;
    for (let i = 0; i < 5; i += 1) expect(await typeOf(headers)).toBe('ok');
    expect(managers.reads).toBe(reads);
    managers.secrets.set('secret/data/rotating', '{"api_key":"sk-vaulted-second"}');
    await admin('POST', '/secret-references/rotating/rotate');
    await eventually(
      async () => {
        await bench().chat(headers);
        return stub.lastRequest.headers['authorization'] === 'Bearer sk-vaulted-second';
      },
      { timeoutMs: CHANGE_MS, everyMs: 20 },
    );
    const trace = bench().trace('vaulted');
    await bench().chat({ ...headers, 'x-gw-trace-id': trace });
    expect(JSON.stringify(await bench().logDetailOf(trace))).not.toMatch(/sk-vaulted|hvs\./);
    expect(bench().responses.filter((response) => response.includes('sk-vaulted'))).toEqual([]);
  });

  it('[SRF-03] returns 502 when a secret cannot be read, and falls back to the next target', async () => {
    await reference('missing');
    await mapped('missing');
    await bench().provider({ slug: 'spare', type: 'openai', stub: other });
    await becomes('ok', { 'x-gw-provider': '@spare' });
    await becomes('secret_unavailable', { 'x-gw-provider': '@missing' });
    const config = JSON.stringify({
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@missing' }, { provider: '@spare' }],
    });
    const requested = stub.requests.length;
    expect(await typeOf({ 'x-gw-config': config })).toBe('ok');
    expect(stub.requests).toHaveLength(requested);
  });

  it('calls only enabled models of the integration, in workspaces that may use it', async () => {
    const { workspace_id: workspaceId } = bench().product.credentials;
    const { id } = await admin('POST', '/integrations', {
      name: 'Shared',
      slug: 'shared',
      ai_provider_id: 'openai',
      key: 'sk-shared',
      allow_all_models: false,
      configurations: { custom_host: `${stub.origin}/v1` },
    });
    const headers = { 'x-gw-provider': '@shared' };
    const access = (enabled: boolean): Promise<unknown> =>
      admin('PUT', `/integrations/${id}/workspaces`, { workspaces: [{ id: workspaceId, enabled }] });
    await access(true);
    await becomes('model_not_enabled', headers);
    await admin('PUT', `/integrations/${id}/models`, { models: [{ slug: 'sandbox-small' }] });
    await becomes('ok', headers);
    await admin('PUT', `/integrations/${id}/models`, { models: [{ slug: 'sandbox-small', enabled: false }] });
    await becomes('model_not_enabled', headers);
    await admin('PUT', `/integrations/${id}/models`, { models: [{ slug: 'sandbox-small', enabled: true }] });
    await becomes('ok', headers);
    await access(false);
    await becomes('provider_not_found', headers);
  });

  it('[CTL-05] sends a custom model to its own host with its own headers', async () => {
    const { workspace_id } = bench().product.credentials;
    const { id } = await admin('POST', '/integrations', {
      name: 'Custom',
      slug: 'custom',
      ai_provider_id: 'openai',
      key: 'sk-custom',
      workspace_id,
      default_provider_slug: 'custom',
      configurations: { custom_host: `${stub.origin}/v1`, custom_headers: { 'x-team': 'integration' } },
    });
    const model = {
      slug: 'sandbox-small',
      is_custom: true,
      configurations: { custom_host: `${other.origin}/v1` },
      custom_headers: { 'x-team': 'model' },
    };
    // A changed model address requires the integration's secrets again.
    const configurations = { custom_headers: { 'x-team': 'integration' } };
    await admin('PUT', `/integrations/${id}/models`, { key: 'sk-custom', configurations, models: [model] });
    await eventually(
      async () => {
        const requested = other.requests.length;
        await bench().chat({ 'x-gw-provider': '@custom' });
        return other.requests.length > requested;
      },
      { timeoutMs: CHANGE_MS, everyMs: 20 },
    );
    expect(other.lastRequest.headers['x-team']).toBe('model');
  });

  it('refuses an expired provider, and accepts it again with a later expiry', async () => {
    const { workspace_id } = bench().product.credentials;
    await bench().provider({ slug: 'ending', type: 'openai', stub });
    const headers = { 'x-gw-provider': '@ending' };
    const ends = (expires_at: string | null): Promise<unknown> =>
      admin('PUT', '/providers/ending', { expires_at, workspace_id });
    await becomes('ok', headers);
    // On a busy machine the change may be refused because the time has already passed.
    await eventually(() => ends(new Date(Date.now() + 2_000).toISOString()));
    await becomes('credential_expired', headers);
    await ends(null);
    await becomes('ok', headers);
  });

  it('logs the metadata of a key, which overrides the request’s', async () => {
    await bench().provider({ slug: 'one', type: 'openai', stub });
    const { key } = await bench().newKey({
      name: 'with metadata',
      defaults: { metadata: { team: 'of-the-key' } },
    });
    const headers = { 'x-gw-provider': '@one', 'x-gw-metadata': '{"team":"of-the-request","more":"1"}' };
    await becomes('ok', headers, { key });
    const trace = bench().trace('metadata');
    await bench().chat({ ...headers, 'x-gw-trace-id': trace }, { key });
    const { metadata } = (await bench().logOf(trace)) as unknown as { metadata: object };
    expect(metadata).toEqual({ team: 'of-the-key', more: '1' });
  });

  it('validates request metadata against the organisation’s schema soon after it was saved', async () => {
    const schema = (request_metadata_schema: object | null): Promise<unknown> =>
      admin('PUT', '/admin/organisation/properties', { request_metadata_schema });
    await bench().provider({ slug: 'held', type: 'openai', stub });
    const headers = { 'x-gw-provider': '@held' };
    await becomes('ok', headers);
    await schema({
      type: 'object',
      additionalProperties: true,
      required: ['team'],
      properties: { team: { type: 'string', pattern: '^[a-z]+$' }, env: { type: 'string', default: 'prod' } },
    });
    await becomes('validation_failed', headers);
    expect(await typeOf({ ...headers, 'x-gw-metadata': '{"team":"X1"}' })).toBe('validation_failed');
    const trace = bench().trace('held');
    const requested = stub.requests.length;
    expect(await typeOf({ ...headers, 'x-gw-metadata': '{"team":"search"}', 'x-gw-trace-id': trace })).toBe(
      'ok',
    );
    expect(stub.requests).toHaveLength(requested + 1);
    const { metadata } = (await bench().logOf(trace)) as unknown as { metadata: object };
    expect(metadata).toEqual({ team: 'search', env: 'prod' });
    await schema(null);
    await becomes('ok', headers);
  });

  it('shows the gateway in the control plane as connected with its version', async () => {
    const seen = await eventually(
      async () => {
        const { data } = await admin<{ data: { connected: boolean; warnings: object[] }[] }>(
          'GET',
          '/admin/gateways',
        );
        return data.length > 0 && data;
      },
      { timeoutMs: CHANGE_MS, everyMs: 50 },
    );
    expect(seen).toMatchObject([{ connected: true, warnings: [] }]);
  });
});
