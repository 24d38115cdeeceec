import { StubProvider, type StubResponse } from '@gw/testing';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { GatewayHarness } from '../spec-support/harness';
import { TestClient } from '../spec-support/test-client';

const CONFIG = { provider: '@main', cache: { mode: 'simple' } };
const BODY = { model: 'gpt-4o', input: 'x' };

const encoded = (coding: string, body: Buffer): StubResponse => ({
  headers: { 'content-type': 'application/json', 'content-encoding': coding },
  body,
});
const zipped = (text: string): StubResponse => encoded('gzip', gzipSync(text));

describe('a passthrough response', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start({ CACHE_ENTRY_MAX_BYTES: '100000' });
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const statuses = async (path: string): Promise<(string | null)[]> => {
    const request = { config: CONFIG, headers: { 'accept-encoding': 'gzip, br' } };
    const first = await asker.ask(path, BODY, request);
    return [first.cache, (await asker.ask(path, BODY, request)).cache];
  };

  it.each<[string, StubResponse]>([
    ['a compressed error', zipped('{"error":{"message":"x"}}')],
    ['compressed JSON that is not valid', zipped('{"output":[')],
    ['a compressed response still in progress', zipped('{"status":"queued"}')],
    ['a response still in progress', { body: { status: 'in_progress' } }],
    ['compressed JSON above the size bound', zipped(JSON.stringify({ pad: 'x'.repeat(100_000) }))],
    ['JSON in an unknown coding', encoded('own', Buffer.from('{}'))],
  ])('is not stored when it is %s', async (_name, response) => {
    stub.respond(response);
    expect(await statuses('/proxy/responses')).toEqual(['MISS', 'MISS']);
    expect(stub.requests).toHaveLength(2);
  });

  it.each<[string, StubResponse]>([
    ['gzip', zipped('{"output":[]}')],
    ['brotli', encoded('br', brotliCompressSync('{"status":"completed"}'))],
  ])('is stored when it is a success in %s', async (_name, response) => {
    stub.respond(response);
    expect(await statuses('/proxy/responses')).toEqual(['MISS', 'HIT']);
    expect(stub.requests).toHaveLength(1);
  });

  it.each(['/proxy/images/edits', '/proxy/images/variations'])('of %s is not looked up', async (path) => {
    stub.respondJson({ data: [] });
    expect(await statuses(path)).toEqual(['DISABLED', 'DISABLED']);
  });
});
