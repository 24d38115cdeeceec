import { StubProvider } from '@gw/testing';
import { internalPost } from './internal-post';
import { ServiceClient, type ServiceClientOptions } from './service-client';

describe('ServiceClient', () => {
  let stub: StubProvider;
  const clients: ServiceClient[] = [];
  beforeAll(async () => {
    stub = await StubProvider.start();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(() => stub.stop());

  function clientWith(options: Partial<ServiceClientOptions> = {}): ServiceClient {
    const client = new ServiceClient({ timeoutMs: 30_000, connections: 1, bytesMax: 100, ...options });
    clients.push(client);
    return client;
  }
  const bytesOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it('returns status and body of a response up to its maximum size, and fails for a larger one', async () => {
    stub.respond({ status: 201, body: 'x'.repeat(100) });
    const request = { url: `${stub.origin}/a`, method: 'POST', headers: { 'x-a': '1' }, body: '{}' };
    const { status, body, retries } = await clientWith().call(request);
    expect([status, body.length, retries]).toEqual([201, 100, 0]);
    expect(stub.lastRequest).toMatchObject({ method: 'POST', url: '/a', headers: { 'x-a': '1' } });
    expect(stub.lastRequest.body.toString()).toBe('{}');
    await expect(clientWith({ bytesMax: 99 }).call(request)).rejects.toThrow('larger than 99 bytes');
  });

  it('fails in the middle of a body of unknown length that exceeds the maximum', async () => {
    stub.respond({ steps: [{ chunk: 'x'.repeat(101) }, { hang: true }] });
    await expect(clientWith().call({ url: stub.origin })).rejects.toThrow('larger than 100 bytes');
  });

  it('reuses one connection for consecutive calls', async () => {
    stub.respond({ body: '{}' });
    const client = clientWith();
    const before = stub.connections;
    for (let call = 0; call < 3; call += 1) await client.call({ url: stub.origin });
    expect(stub.connections - before).toBe(1);
  });

  it('fails when no response arrives in time, and when the connection is cut', async () => {
    stub.respond({ neverRespond: true });
    const client = clientWith({ timeoutMs: 50 });
    await expect(client.call({ url: stub.origin })).rejects.toThrow('50ms');
    await expect(client.open({ url: stub.origin }, new AbortController().signal)).rejects.toThrow('50ms');
    stub.respond({ steps: [{ chunk: 'x' }, { cut: 'reset' }] });
    await expect(clientWith().call({ url: stub.origin })).rejects.toThrow();
  });

  it('returns a redirect instead of following it, so that credentials go to no other address', async () => {
    stub.respond({ status: 307, headers: { location: '/elsewhere' } });
    const requests = stub.requests.length;
    expect(await clientWith().call({ url: stub.origin })).toMatchObject({ status: 307 });
    expect(stub.requests.length - requests).toBe(1);
  });

  it('never retries a request unless its options allow it', async () => {
    stub.respond({ status: 503, headers: { 'retry-after': '0' } });
    const requests = stub.requests.length;
    await clientWith().call({ url: stub.origin });
    expect(stub.requests.length - requests).toBe(1);
    const calculateDelay: NonNullable<
      Exclude<ServiceClientOptions['retry'], number | undefined>
    >['calculateDelay'] = ({ computedValue }) => Math.min(computedValue, 1);
    const client = clientWith({ retry: { limit: 2, statusCodes: [503], calculateDelay } });
    expect(await client.call({ url: stub.origin })).toMatchObject({ status: 503, retries: 2 });
    expect(stub.requests.length - requests).toBe(4);
  });

  it('opens a stream without a maximum size, which ends with its signal', async () => {
    stub.respond({ body: 'x'.repeat(1_000) });
    const { status, body } = await clientWith().open({ url: stub.origin }, new AbortController().signal);
    expect([status, (await bytesOf(body)).length]).toEqual([200, 1_000]);
    stub.respond({ steps: [{ chunk: 'x' }, { hang: true }] });
    const end = new AbortController();
    const held = await clientWith().open({ url: stub.origin }, end.signal);
    end.abort();
    await expect(bytesOf(held.body)).rejects.toThrow('aborted');
  });
});

describe('internalPost', () => {
  it('returns the status and the time of the process that responds', async () => {
    const stub = await StubProvider.start();
    stub.respond({ status: 503, headers: { date: 'Wed, 25 Nov 2026 10:00:00 GMT' } });
    const responded = await internalPost(stub.origin, { 'x-a': '1' }, Buffer.from('{}'));
    expect(responded).toEqual({ status: 503, date: 'Wed, 25 Nov 2026 10:00:00 GMT' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', headers: { 'x-a': '1' } });
    await stub.stop();
  });
});
