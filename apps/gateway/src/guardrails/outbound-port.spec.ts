import { createAddressPolicy } from '@gw/kernel';
import { OutboundClient } from '@gw/outbound';
import { StubProvider } from '@gw/testing';
import { OutboundPort } from './outbound-port';

describe('OutboundPort', () => {
  const policy = createAddressPolicy({ trustedHosts: ['127.0.0.1'] });
  const outbound = new OutboundClient({
    ...{ policy, maxConnectionsPerOrigin: 1, maxPools: 1, keepAliveTimeoutMs: 1_000 },
  });
  const port = new OutboundPort(outbound, policy);
  let stub: StubProvider;
  beforeAll(async () => {
    stub = await StubProvider.start();
    stub.respond({ headers: { 'content-type': 'image/png' }, body: 'x'.repeat(100) });
  });
  afterAll(async () => {
    outbound.close();
    await stub.stop();
  });
  const call = (responseBytesMax: number) =>
    port.call({
      ...{ url: `${stub.origin}/i.png`, method: 'GET', headers: {}, body: null, responseBytesMax },
      signal: new AbortController().signal,
    });

  it('returns a response of the maximum length', async () => {
    const { status, contentType, body } = await call(100);
    expect([status, contentType, body.byteLength]).toEqual([200, 'image/png', 100]);
  });

  it('rejects a longer response with ResponseTooLong, and says so', async () => {
    await expect(call(99)).rejects.toMatchObject({
      ...{ name: 'CheckError', message: 'The response of the service is longer than 99 bytes.', status: 200 },
    });
  });
});
