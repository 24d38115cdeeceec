import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createLog } from '../logger';
import { createAdapter } from './adapter';

describe('HTTP adapter', () => {
  const adapter = createAdapter({ body: { bytes: 1_000 }, log: createLog('test', 'silent') });
  const server = adapter.getInstance();
  let port = 0;
  beforeAll(async () => {
    server.get('/things/:id', () => ({}));
    await server.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = server.server.address() as AddressInfo);
  });
  afterAll(() => server.close());

  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let response = '';
      socket.on('data', (data) => (response += data.toString()));
      socket.on('close', () => {
        resolve(response);
      });
      socket.on('error', reject);
    });

  it.each([
    [
      'a request line that is too long',
      `GET /things/1?ids=${'a,'.repeat(20_000)} HTTP/1.1\r\n`,
      431,
      'headers_too_large',
    ],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400, 'request_malformed'],
  ])('returns the standard error body for %s', async (_what, text, status, type) => {
    const response = await raw(`${text}host: a\r\n\r\n`);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    const [, body = ''] = response.split('\r\n\r\n');
    expect(JSON.parse(body)).toMatchObject({ error: { type, code: 'AB01', param: null } });
  });

  it.each([
    ['a'.repeat(600), 404, 'not_found'],
    ['%E0%A4%A', 400, 'request_malformed'],
  ])('returns an error for the invalid path id %s instead of crashing', async (id, status, type) => {
    const response = await raw(`GET /things/${id} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    expect(response.toLowerCase()).toContain('x-content-type-options: nosniff');
    expect(response).toContain(`"type":"${type}"`);
  });

  it('returns 400 for two Host headers, because servers could read them differently', async () => {
    const one = 'GET /things/1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n';
    expect(await raw(`${one}\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    expect(await raw(`${one}Host: b\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 .*it must have one Host header/s);
  });
});
