import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const LEVELS = 20_000;
const DEEP = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
const RAW = '[{"role":"user","content":{{value}}}]';

describe('a request for a saved prompt that is nested deeper than the stack', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addKey(gateway.apiKey, { scopes: ['completions.write', 'prompts.render'] });
    gateway.addProvider('main', 'openai', stub.origin);
    const version = { virtualKey: 'main', model: 'gpt-x' };
    gateway.addPrompt('pp-text', [{ ...version, template: 'Say {{value}}' }]);
    gateway.addPrompt('pp-raw', [{ ...version, template: RAW, isRaw: true }]);
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });

  it.each([
    ['a variable of a text', 'pp-text/completions', `{"variables":{"value":${DEEP}}}`],
    ['a variable of a raw template', 'pp-raw/completions', `{"variables":{"value":${DEEP}}}`],
    ['a member of the request', 'pp-text/completions', `{"metadata":${DEEP}}`],
    ['a member of a request to render', 'pp-text/render', `{"metadata":${DEEP}}`],
  ])('is refused: %s', async (_place, path, body) => {
    const response = await fetch(`${gateway.baseUrl}/prompts/${path}`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json' },
      body,
    });
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect([response.status, error['type'], error['message']]).toEqual([
      400,
      'body_invalid',
      'The objects and lists of the body are nested too deep to be rewritten; send a flatter one.',
    ]);
    expect(stub.requests).toEqual([]);
  });
});
