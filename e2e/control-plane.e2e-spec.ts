import { eventually, type StubProvider } from '@gw/testing';

import { OPENAI_CHAT } from './spec-support/fake-openai';
import { withProductOn, type Call, type Drivers, type NewKey } from './spec-support/workbench';

/** Longer than a gateway uses known documents without verification while it receives no events. */
const OUTAGE_MS = 7_000;

describe.each<Drivers>(['embedded', 'Redis'])('control plane with the %s drivers', (drivers) => {
  const { bench, redis } = withProductOn(drivers);
  let first: StubProvider;
  let second: StubProvider;

  beforeAll(async () => {
    first = await namedStub('first');
    second = await namedStub('second');
    await bench().provider({ slug: 'first', type: 'openai', stub: first });
    await bench().provider({ slug: 'second', type: 'openai', stub: second });
  });

  /** Creates a stub that responds with its name. */
  async function namedStub(name: string): Promise<StubProvider> {
    const stub = await bench().stub();
    stub.respondJson({
      ...OPENAI_CHAT,
      choices: [{ index: 0, message: { role: 'assistant', content: name } }],
    });
    return stub;
  }

  /** Returns the name of the stub that responded, or the type of the error. */
  async function routeOf(headers: Readonly<Record<string, string>>, options: Call = {}): Promise<string> {
    const { body } = await bench().chat(headers, options);
    const { choices, error } = body as {
      choices?: [{ message: { content: string } }];
      error?: { type: string };
    };
    return choices?.[0].message.content ?? error?.type ?? 'neither a response nor an error';
  }

  /** Fails unless requests start to reach `route` and keep reaching it. */
  async function becomes(
    route: string,
    headers: Readonly<Record<string, string>>,
    options: Call = {},
  ): Promise<void> {
    let seen = '';
    await eventually(
      async () => {
        seen = await routeOf(headers, options);
        expect(seen).toBe(route);
        return true;
      },
      { timeoutMs: 90_000, everyMs: 10 },
    );
    for (let again = 0; again < 5; again += 1) expect(await routeOf(headers, options)).toBe(route);
  }

  it('publishes a new provider that was requested before it existed', async () => {
    const headers = { 'x-gw-provider': '@later' };
    expect(await routeOf(headers)).toBe('provider_not_found');
    await bench().provider({ slug: 'later', type: 'openai', stub: first });
    await becomes('first', headers);
  });

  it('publishes a new, a changed and a deleted config', async () => {
    const body = { name: 'Default route', config: { provider: '@first' }, isDefault: 1 };
    expect(await routeOf({})).toBe('provider_missing');
    const { slug } = await bench().manage<{ slug: string }>('POST', '/configs', { body });
    await becomes('first', {});
    await becomes('first', { 'x-gw-config': slug });
    await bench().manage('PUT', `/configs/${slug}`, { body: { config: { provider: '@second' } } });
    await becomes('second', {});
    await becomes('second', { 'x-gw-config': slug });
    await bench().manage('PUT', `/configs/${slug}`, { body: { isDefault: 0 } });
    await becomes('provider_missing', {});
    await bench().manage('DELETE', `/configs/${slug}`);
    await becomes('config_not_found', { 'x-gw-config': slug });
  });

  it('publishes a changed address and credential of a provider', async () => {
    const headers = { 'x-gw-provider': '@moving' };
    const id = await bench().provider({ slug: 'moving', type: 'openai', stub: first });
    await becomes('first', headers);
    await bench().manage('PUT', `/integrations/${id}`, {
      body: { key: 'sk-rotated', configurations: { custom_host: `${second.origin}/v1` } },
    });
    await becomes('second', headers);
    expect(second.lastRequest.headers['authorization']).toBe('Bearer sk-rotated');
  });

  it('stops a deleted provider, and one whose integration is archived', async () => {
    await bench().provider({ slug: 'deleted', type: 'openai', stub: first });
    const id = await bench().provider({ slug: 'archived', type: 'openai', stub: first });
    for (const slug of ['deleted', 'archived']) {
      await becomes('first', { 'x-gw-provider': `@${slug}` });
    }
    await bench().manage('DELETE', '/providers/deleted');
    await becomes('provider_not_found', { 'x-gw-provider': '@deleted' });
    await bench().manage('DELETE', `/integrations/${id}`);
    await becomes('provider_not_found', { 'x-gw-provider': '@archived' });
    expect(await routeOf({ 'x-gw-provider': '@first' })).toBe('first');
  });

  it('refuses a leaked secret that a rotation has revoked, and accepts the new one', async () => {
    const headers = { 'x-gw-provider': '@first' };
    const { id, key } = await bench().newKey();
    await becomes('first', headers, { key });
    const { key: fresh } = await bench().manage<{ key: string }>('POST', `/api-keys/${id}/rotate`, {
      key: bench().adminKey,
      body: { revoke_previous: true },
    });
    await becomes('api_key_invalid', headers, { key });
    await becomes('first', headers, { key: fresh });
  });

  it('[AUT-06] [SVC-02] accepts a new key, refuses a deleted one, and logs its requests for the organisation', async () => {
    const headers = { 'x-gw-provider': '@first' };
    const { id, key } = await bench().newKey();
    await becomes('first', headers, { key });
    await bench().manage('DELETE', `/api-keys/${id}`, { key: bench().adminKey });
    await becomes('api_key_invalid', headers, { key });
    const requested = first.requests.length;
    const trace = bench().trace('deleted-key');
    expect((await bench().chat({ ...headers, 'x-gw-trace-id': trace }, { key })).status).toBe(401);
    expect(first.requests).toHaveLength(requested);
    await eventually(
      async () => {
        const { data } = await bench().logs(`trace_id=${trace}`, bench().adminKey);
        expect(data).toMatchObject([{ api_key_id: id, workspace_id: null, error_type: 'api_key_invalid' }]);
        return true;
      },
      { timeoutMs: 90_000, everyMs: 100 },
    );
    expect((await bench().logs(`trace_id=${trace}`)).data).toEqual([]);
  });

  it('removes a scope from a key', async () => {
    const headers = { 'x-gw-provider': '@first' };
    const { id, key } = await bench().newKey();
    await becomes('first', headers, { key });
    await bench().manage('PUT', `/api-keys/${id}`, {
      key: bench().adminKey,
      body: { scopes: ['logs.list'] },
    });
    await becomes('scope_missing', headers, { key });
  });

  it('[ERR-08] refuses inline selection 1 s after it is blocked', async () => {
    const block = (block_inline_config: boolean | null): Promise<unknown> =>
      bench().manage('PUT', '/admin/organisation/settings', {
        key: bench().adminKey,
        body: { data_plane_security_settings: { block_inline_config } },
      });
    const host = `${first.origin}/v1`;
    const inline = { 'x-gw-provider': 'openai', 'x-gw-custom-host': host, authorization: 'Bearer sk-own' };
    await becomes('first', inline);
    await block(true);
    await becomes('inline_provider_blocked', inline);
    expect(await routeOf({ 'x-gw-config': '{"provider":"@first"}' })).toBe('inline_config_blocked');
    expect(await routeOf({ 'x-gw-provider': '@first', 'x-gw-custom-host': host })).toBe(
      'inline_custom_host_blocked',
    );
    expect(await routeOf({ 'x-gw-provider': '@first' })).toBe('first');
    await block(null);
    await becomes('first', inline);
    const { workspace_id: workspaceId } = bench().product.credentials;
    const blockHere = (block_inline_config: boolean | null): Promise<unknown> =>
      bench().manage('PUT', `/workspaces/${workspaceId}`, {
        key: bench().adminKey,
        body: { data_plane_security_settings: { block_inline_config } },
      });
    await blockHere(true);
    await becomes('inline_provider_blocked', inline);
    await blockHere(null);
    await becomes('first', inline);
  });

  describe('outage of admin API, worker, database and Redis', () => {
    const headers = { 'x-gw-provider': '@first' };
    const traces: string[] = [];
    let known: NewKey;

    /** Sends a request with a key that was used before. */
    async function expectService(): Promise<void> {
      const trace = bench().trace('outage');
      const traced = { ...headers, 'x-gw-trace-id': trace };
      expect(await routeOf(traced, { key: known.key })).toBe('first');
      traces.push(trace);
    }

    beforeAll(async () => {
      known = await bench().newKey();
      await becomes('first', headers, { key: known.key });
      await bench().product.stopProcess('admin-api');
      await bench().product.stopProcess('worker');
      await bench().product.stopProcess('postgres');
      await redis()?.kill();
    });

    it('keeps serving known keys', async () => {
      const until = Date.now() + OUTAGE_MS;
      await eventually(
        async () => {
          await expectService();
          return Date.now() > until && traces.length > 20;
        },
        { timeoutMs: 90_000, everyMs: 50 },
      );
      await eventually(async () => {
        const { status, body } = await bench().call('GET', '/health', { key: null });
        expect([status, body]).toMatchObject([200, { status: 'degraded' }]);
        expect(body['degraded']).toEqual(expect.arrayContaining(['read_model', 'log_shipping']));
        return true;
      });
      for (const probe of ['live', 'ready'])
        expect((await bench().call('GET', `/health/${probe}`, { key: null })).status).toBe(200);
    });

    it('returns 503 with a reason for an unknown key or resource, without calling a provider', async () => {
      const requested = first.requests.length;
      for (const [tried, options] of [
        [headers, { key: 'x'.repeat(32) }],
        [{ 'x-gw-provider': '@unseen' }, { key: known.key }],
      ] as const) {
        const { status, body } = await bench().chat(tried, options);
        expect([status, body]).toMatchObject([503, { error: { type: 'unavailable', code: 'AB04' } }]);
      }
      const { status, body } = await bench().call('GET', '/configs');
      expect([status, body]).toMatchObject([503, { error: { type: 'unavailable' } }]);
      expect(first.requests).toHaveLength(requested);
    });

    it('serves known keys from the snapshot after a gateway restart', async () => {
      await bench().product.restart('gateway');
      await expectService();
      expect(await routeOf(headers, { key: 'x'.repeat(32) })).toBe('unavailable');
    });

    it('receives changes again after the outage, and logs every request', async () => {
      await redis()?.start();
      await bench().product.startStopped();
      await eventually(async () => (await bench().call('GET', '/configs')).status === 200, {
        timeoutMs: 90_000,
      });
      await bench().expectOneRecordEach(traces, `api_key_id=${known.id}`);
      await bench().manage('DELETE', `/api-keys/${known.id}`, { key: bench().adminKey });
      await becomes('api_key_invalid', headers, { key: known.key });
    });
  });
});
