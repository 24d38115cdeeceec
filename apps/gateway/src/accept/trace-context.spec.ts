import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe('trace context of a request', () => {
  let gateway: GatewayHarness;
  let provider: StubProvider;

  beforeEach(async () => {
    [gateway, provider] = await Promise.all([GatewayHarness.start(), StubProvider.start()]);
    gateway.addProvider('main', 'openai', provider.origin);
    provider.respondJson({ id: 'x', choices: [] });
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), provider.stop()]);
  });

  const logged = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main', 'content-type': 'application/json' },
        ...headers,
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    const [record] = await gateway.records();
    return record;
  };

  it('uses the trace id of traceparent and forwards the header to the provider unchanged', async () => {
    const traceparent = `00-${TRACE}-${PARENT}-01`;
    const record = await logged({ traceparent });
    expect(record).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    expect(provider.requests.at(-1)?.headers['traceparent']).toBe(traceparent);
  });

  it.each([
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${PARENT}-01`,
  ])('ignores the invalid traceparent %s', async (traceparent) => {
    const record = await logged({ traceparent });
    expect(record).toMatchObject({ traceId: record?.id, parentSpanId: null });
  });

  it('adds baggage to the metadata, skips malformed entries, and keeps values that the request sets itself', async () => {
    const record = await logged({
      'x-gw-metadata': '{"team":"own"}',
      baggage: 'team=other, region=eu%20west;ttl=1, __proto__=x, =1, bad name=2, cut=%E0%A4, empty=',
    });
    expect(record?.metadata).toEqual({ team: 'own', region: 'eu west', ['__proto__']: 'x', empty: '' });
  });

  it('keeps metadata within its bounds, however many entries baggage has', async () => {
    const many = Array.from({ length: 100 }, (_, i) => `k${String(i)}=v`).join(',');
    const record = await logged({
      'x-gw-metadata': '{"a":"1"}',
      baggage: `long=${'x'.repeat(1_025)},${many}`,
    });
    expect(Object.keys(record?.metadata ?? {}).length).toBeLessThanOrEqual(64);
    expect(record?.metadata).toMatchObject({ a: '1', k0: 'v' });
    expect(record?.metadata).not.toHaveProperty('long');
  });
});
