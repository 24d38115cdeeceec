import { TestAdminApi, type GatewayResponse } from './spec-support/admin-api';
import type { Failure } from './spec-support/api-keys';

const api = new TestAdminApi();
const tenant = api.sharedTenant();

interface Saved {
  readonly slug: string;
}

const ODD = {
  constructor: { type: 'object', properties: { prototype: { type: 'string' } } },
  prototype: { type: 'string' },
  toString: { type: 'number' },
};
const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: ODD } } };

async function saved(path: string, body: object): Promise<Record<string, unknown>> {
  const made = await api.post<Saved>(path, { key: tenant.key, body });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  return (await api.get(`${path}/${made.body.slug}`, tenant)).body;
}

describe('saved JSON with members named like JavaScript object members', () => {
  it('keeps such members in the JSON schemas of a config', async () => {
    const config = { provider: '@openai-prod', override_params: { tools: [TOOL] } };
    const kept = await saved('/v1/configs', { name: 'Odd', config });
    expect(kept['config']).toContain(JSON.stringify(TOOL));
  });

  it('refuses such members elsewhere in a config, with their path', async () => {
    const config = { provider: '@openai-prod', override_params: { prototype: { x: 1 } } };
    const { status, body } = await api.post<Failure>('/v1/configs', {
      key: tenant.key,
      body: { name: 'Odd', config },
    });
    expect([status, body.error]).toMatchObject([400, { type: 'config_invalid', param: 'config' }]);
    expect(JSON.stringify(body.error.details)).toContain('override_params.prototype');
  });

  it('keeps such members in the schema of a guardrail, which applies them', async () => {
    const schema = { type: 'object', properties: ODD, required: ['constructor', 'prototype'] };
    const body = { name: 'Odd', checks: [{ id: 'default.jsonSchema', parameters: { schema } }], actions: {} };
    const guardrail = await saved('/v1/guardrails', body);
    expect(JSON.stringify(guardrail['checks'])).toContain(JSON.stringify(schema));
    const verdict = async (text: string): Promise<unknown> => {
      const response: GatewayResponse<{ verdict: boolean }> = await api.post(
        `/v1/guardrails/${String(guardrail['slug'])}/invoke`,
        { key: tenant.key, body: { stage: 'output', text } },
      );
      return response.body.verdict;
    };
    expect(await verdict('{"constructor":{"prototype":"a"},"prototype":"b"}')).toBe(true);
    expect(await verdict('{"constructor":{"prototype":1},"prototype":"b"}')).toBe(false);
    expect(await verdict('{"prototype":"b"}')).toBe(false);
  });

  it('keeps such members in the tools of a prompt', async () => {
    const { body } = await api.post<Saved>('/v1/collections', { key: tenant.key, body: { name: 'All' } });
    const prompt = await saved('/v1/prompts', {
      name: 'Odd',
      collection_id: body.slug,
      string: 'Hello',
      parameters: { constructor: 1 },
      tools: [TOOL],
      model: 'gpt-4o',
      virtual_key: 'openai-prod',
    });
    expect(JSON.stringify(prompt['tools'])).toBe(JSON.stringify([TOOL]));
    expect(prompt['parameters']).toEqual({ constructor: 1 });
  });

  it('refuses members named __proto__, with their path', async () => {
    const body =
      '{"name":"Odd","config":{"provider":"@a","override_params":{"tools":[{"__pr\\u006fto__":{"x":1}}]}}}';
    const { status, body: response } = await api.post<Failure>('/v1/configs', { key: tenant.key, body });
    expect([status, response.error]).toMatchObject([
      400,
      { type: 'body_invalid', param: 'config.override_params.tools.0.__proto__' },
    ]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
