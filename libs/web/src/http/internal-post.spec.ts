import { StubProvider } from '@gw/testing';
import { InternalClient, internalPost } from './internal-post';

describe('requests to our own processes', () => {
  let stub: StubProvider;
  beforeAll(async () => {
    stub = await StubProvider.start();
  });
  afterAll(() => stub.stop());
  const clientOf = (answerBytesMax: number): InternalClient =>
    new InternalClient({ timeoutMs: 30_000, connections: 1, answerBytesMax });

  it('give the status and the whole answer, up to its bound', async () => {
    stub.answer({ status: 201, body: 'x'.repeat(100) });
    const client = clientOf(100);
    const { status, body } = await client.post(`${stub.origin}/a`, { 'x-a': '1' }, Buffer.from('{}'));
    expect([status, body.length]).toEqual([201, 100]);
    expect(stub.lastRequest).toMatchObject({ method: 'POST', url: '/a', headers: { 'x-a': '1' } });
    client.close();
    const small = clientOf(99);
    await expect(small.post(stub.origin, {}, Buffer.from('{}'))).rejects.toThrow('too much');
    small.close();
  });

  it('keep nothing of an answer where only its status counts, however long it is', async () => {
    stub.answer({ status: 503, body: 'x'.repeat(1_000_000) });
    expect(await internalPost(stub.origin, {}, Buffer.from('{}'))).toMatchObject({ status: 503 });
  });

  it('fail when no answer comes in time, and when the connection is cut', async () => {
    const client = new InternalClient({ timeoutMs: 50, connections: 1, answerBytesMax: 100 });
    stub.answer({ neverAnswer: true });
    await expect(client.post(stub.origin, {}, Buffer.from('{}'))).rejects.toThrow('in time');
    stub.answer({ steps: [{ chunk: 'x' }, { cut: 'reset' }] });
    await expect(client.post(stub.origin, {}, Buffer.from('{}'))).rejects.toThrow();
    client.close();
  });
});
