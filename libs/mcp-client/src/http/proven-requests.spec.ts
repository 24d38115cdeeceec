import { keyProof, newProofKey, readProofKey } from '@gw/kernel';
import { decodeJwt } from 'jose';
import { closedAfterEach, json, result, type Answer, type Received } from '../spec-support/fixture';
import { modernServer } from '../spec-support/modern-server';
import type { HeaderSource } from './headers';

/**
 * Returns a server that refuses proofs without the current nonce, and counts the requests that it
 * executes.
 */
function nonceServer(nonceOf: (received: Received) => string): { readonly answer: Answer; calls: number } {
  const server = { calls: 0, answer: (() => undefined) as Answer };
  const modern = modernServer({
    'tools/call': (received, res) => {
      server.calls += 1;
      json(res, result(received, { resultType: 'complete', content: [] }));
    },
  });
  server.answer = (received, res, req) => {
    const nonce = nonceOf(received);
    if (nonceIn(received) === nonce) return modern(received, res, req);
    json(res, {}, 401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': nonce });
  };
  return server;
}

const proofIn = ({ headers }: Received) => decodeJwt(String(headers['dpop']));
const nonceIn = (received: Received): unknown => proofIn(received)['nonce'];

describe('requests with proofs of a key', () => {
  const { serve, upstream } = closedAfterEach();
  let headers: HeaderSource;

  beforeAll(async () => {
    const key = readProofKey(await newProofKey());
    headers = (at) => ({
      authorization: 'DPoP the-token',
      dpop: keyProof(key, { ...at, accessToken: 'the-token', now: Date.now() }),
    });
  });

  it('are repeated once with the nonce that the server demands, which later requests use too', async () => {
    const server = nonceServer(() => 'n-1');
    const { url, received } = await serve(server.answer, '/mcp?tenant=1');
    const client = upstream(url, { headers });
    for (let n = 0; n < 2; n += 1) await client.request('tools/call', { name: 'echo', arguments: {} });
    expect(server.calls).toBe(2);
    expect(received.map(nonceIn).filter((nonce) => nonce === undefined)).toHaveLength(1);
    expect(new Set(received.map((each) => proofIn(each).jti)).size).toBe(received.length);
    expect(proofIn(received[0] as Received)).toMatchObject({ htm: 'POST', htu: `${url.origin}/mcp` });
  });

  it('fail when the server demands another nonce each time', async () => {
    let last = 0;
    const server = nonceServer(() => `n-${String((last += 1))}`);
    const { url, received } = await serve(server.answer);
    const call = upstream(url, { headers }).request('tools/call', { name: 'echo', arguments: {} });
    await expect(call).rejects.toMatchObject({ kind: 'unauthorized' });
    expect([server.calls, received.length]).toEqual([0, 2]);
  });

  it.each([
    ['the same nonce', 'n-0'],
    ['a nonce that no proof may have', 'n"1'],
  ])('are not repeated for %s', async (_what, nonce) => {
    const { url, received } = await serve((_received, res) => {
      json(res, {}, 401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': nonce });
    });
    const client = upstream(url, { headers });
    const call = (): Promise<unknown> => client.request('tools/call', { name: 'echo', arguments: {} });
    await expect(call()).rejects.toMatchObject({ kind: 'unauthorized' });
    const first = received.length;
    await expect(call()).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(received.length - first).toBe(1);
  });

  it('are not repeated if the credential has no proof', async () => {
    const { url, received } = await serve((_received, res) => {
      json(res, {}, 401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n-1' });
    });
    const client = upstream(url, { headers: () => ({ authorization: 'Bearer the-token' }) });
    const call = client.request('tools/call', { name: 'echo', arguments: {} });
    await expect(call).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(received).toHaveLength(1);
  });
});
