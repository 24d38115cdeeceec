import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClickHouseHttp } from './clickhouse-http';

interface ReceivedRequest {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const ENDPOINT = 'http://clickhouse.example:8123/base';

describe('ClickHouseHttp', () => {
  let proxy: Server;
  let requests: ReceivedRequest[];
  let response: { status?: number; headers?: Record<string, string>; body?: string };
  let http: ClickHouseHttp;

  beforeAll(async () => {
    proxy = createServer((req, res) => {
      const pieces: Buffer[] = [];
      req.on('data', (piece: Buffer) => pieces.push(piece));
      req.on('end', () => {
        requests.push({
          url: new URL(req.url ?? ''),
          headers: req.headers,
          body: Buffer.concat(pieces).toString(),
        });
        res.writeHead(response.status ?? 200, response.headers).end(response.body ?? '');
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    http = new ClickHouseHttp(ENDPOINT, {
      ...{ ANALYTICS_STORE: 'clickhouse', ANALYTICS_STORE_ENDPOINT: ENDPOINT },
      ...{ ANALYTICS_STORE_USER: 'writer', ANALYTICS_STORE_PASSWORD: 'hidden' },
      ...{ ANALYTICS_STORE_DATABASE: 'facts', ANALYTICS_LOG_TABLE: 't' },
      ...{ HTTPS_PROXY: null, NO_PROXY: '' },
      HTTP_PROXY: `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`,
    });
  });
  beforeEach(() => {
    requests = [];
    response = {};
  });
  afterAll(() => new Promise((resolve) => proxy.close(resolve)));

  it('uses the configured proxy, and sends credentials only in headers', async () => {
    await http.insert('t', [{ a: 1 }, { a: 'two\n' }]);
    const [sent] = requests as [ReceivedRequest];
    expect(sent.url.origin + sent.url.pathname).toBe('http://clickhouse.example:8123/base/');
    expect(Object.fromEntries(sent.url.searchParams)).toEqual({
      database: 'facts',
      query: 'INSERT INTO t FORMAT JSONEachRow',
    });
    expect(sent.headers).toMatchObject({ 'x-clickhouse-user': 'writer', 'x-clickhouse-key': 'hidden' });
    expect(sent.url.href).not.toContain('hidden');
    expect(sent.body).toBe('{"a":1}\n{"a":"two\\n"}');
    expect(await http.responds()).toBe(true);
    expect(requests[1]?.url.pathname).toBe('/base/ping');
  });

  it('sends short parameters in the URL and long ones in a form', async () => {
    response = { body: '{"n":1}\n{"n":2}\n' };
    const statement = 'SELECT {a:String}, {b:Array(String)}, {c:Int64}';
    const rows = await http.query(statement, { a: "it's\t\\", b: ["x'y", 'z'], c: 7 }, { limit: '5' });
    expect(rows).toEqual([{ n: 1 }, { n: 2 }]);
    const [short] = requests as [ReceivedRequest];
    expect(short.body).toBe(`${statement}\nFORMAT JSONEachRow`);
    expect(Object.fromEntries(short.url.searchParams)).toMatchObject({
      ...{ limit: '5', wait_end_of_query: '1', param_c: '7' },
      ...{ param_a: "it\\'s\\t\\\\", param_b: "['x\\'y','z']" },
    });
    await http.query(statement, { a: '', b: Array.from({ length: 500 }, () => 'a trace'), c: 1 }, {});
    const long = requests[1] as ReceivedRequest;
    expect([...long.url.searchParams.keys()]).toEqual(['database', 'wait_end_of_query']);
    const type = long.headers['content-type'] ?? '';
    const form = await new Response(long.body, { headers: { 'content-type': type } }).formData();
    expect([...form.keys()]).toEqual(['query', 'param_a', 'param_b', 'param_c']);
    expect(form.get('query')).toBe(`${statement}\nFORMAT JSONEachRow`);
  });

  it('reports a failure by its code, without the text, which may contain request data', async () => {
    for (const failed of [{ status: 400 }, { headers: { 'x-clickhouse-exception-code': '62' } }]) {
      response = { body: 'Cannot parse: a value', ...failed };
      const failure = await http.command('SELECT 1').catch(String);
      expect(failure).toContain('ClickHouse refused a statement');
      expect(failure).not.toContain('a value');
    }
  });

  it('reports an unreachable server as unavailable, and runs ten calls concurrently', async () => {
    await Promise.all(Array.from({ length: 40 }, () => http.command('SELECT 1')));
    expect(requests).toHaveLength(40);
    const unknown = new ClickHouseHttp('http://127.0.0.1:9', {
      ...{ ANALYTICS_STORE: 'clickhouse', ANALYTICS_STORE_ENDPOINT: null },
      ...{ ANALYTICS_STORE_USER: '', ANALYTICS_STORE_PASSWORD: '' },
      ...{ ANALYTICS_STORE_DATABASE: '', ANALYTICS_LOG_TABLE: 't' },
      ...{ HTTPS_PROXY: null, HTTP_PROXY: null, NO_PROXY: '' },
    });
    await expect(unknown.command('SELECT 1')).rejects.toMatchObject({ type: 'unavailable' });
  });
});
