import { LOG_MEMBERS } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

describe('log record of a request', () => {
  let gateway: GatewayHarness;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
  });
  afterEach(() => gateway.stop());

  it('has every declared field', async () => {
    const response = await fetch(`${gateway.baseUrl}/models`, {
      headers: { 'x-gw-api-key': gateway.apiKey },
    });
    await response.text();
    const [record] = await gateway.records();
    expect(LOG_MEMBERS.filter((member) => record?.[member] === undefined)).toEqual([]);
  });

  it('has the metadata of the key alone, of each version of it, and merged with that of the request', async () => {
    const secret = 'Bearer 0123456789abcdef';
    const stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    stub.respond(() => ({ body: { model: 'gpt-4o', choices: [] } }));
    const ask = async (sent: Readonly<Record<string, string>>): Promise<void> => {
      const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': '@main',
          'content-type': 'application/json',
          ...sent,
        },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
      });
      expect(response.status).toBe(200);
      await response.text();
    };
    gateway.addKey(gateway.apiKey, {
      defaults: { metadata: { team: 'blue', auth: secret }, config: null, allowConfigOverride: true },
    });
    await ask({});
    await ask({});
    await ask({ 'x-gw-metadata': '{"run":"7"}' });
    gateway.addKey(gateway.apiKey, {
      defaults: { metadata: { team: 'red' }, config: null, allowConfigOverride: true },
    });
    await ask({});
    await stub.stop();
    const records = await gateway.records();
    expect(records.map(({ metadata }) => metadata)).toEqual([
      { team: 'blue', auth: '[redacted]' },
      { team: 'blue', auth: '[redacted]' },
      { run: '7', team: 'blue', auth: '[redacted]' },
      { team: 'red' },
    ]);
  });
});
