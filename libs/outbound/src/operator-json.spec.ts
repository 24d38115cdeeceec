import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchJson, readJsonFile } from './operator-json';

describe('fetchJson and readJsonFile', () => {
  let server: Server;
  let folder: string;
  const responses: Record<string, { readonly status: number; readonly body: string }> = {
    '/good': { status: 200, body: '{"a":[1]}' },
    '/none': { status: 404, body: 'not found' },
    '/failing': { status: 500, body: '{"a":1}' },
    '/text': { status: 200, body: 'hello' },
    '/large': { status: 200, body: `"${'x'.repeat(17 * 1_048_576)}"` },
    '/moved': { status: 302, body: '' },
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'operator-'));
    server = createServer((req, res) => {
      const { status, body } = responses[req.url ?? ''] ?? { status: 400, body: '' };
      res.writeHead(status).end(body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await new Promise((done) => server.close(done));
  });
  const fetched = (path: string): Promise<unknown> =>
    fetchJson(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`);

  it('return a service’s document, or null when the service has none', async () => {
    expect(await fetched('/good')).toEqual({ a: [1] });
    expect(await fetched('/none')).toBeNull();
  });

  it.each(['/failing', '/text', '/large', '/moved'])(
    'reject when the service responds with %s',
    async (path) => {
      await expect(fetched(path)).rejects.toThrow();
    },
  );

  it('reject when the service is unreachable', async () => {
    await expect(fetchJson('http://127.0.0.1:9/')).rejects.toThrow();
  });

  it('return a file’s document, or null when the file is missing, and reject an invalid one', async () => {
    const path = (name: string): string => join(folder, name);
    writeFileSync(path('good.json'), '{"a":1}');
    writeFileSync(path('bad.json'), '{"a":');
    writeFileSync(path('large.json'), Buffer.alloc(17 * 1_048_576, 0x20));
    expect(await readJsonFile(path('good.json'))).toEqual({ a: 1 });
    expect(await readJsonFile(path('missing.json'))).toBeNull();
    await expect(readJsonFile(path('bad.json'))).rejects.toThrow('JSON');
    await expect(readJsonFile(path('large.json'))).rejects.toThrow('too large');
  });
});
