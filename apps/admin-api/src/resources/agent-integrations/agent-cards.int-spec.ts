import { readCases } from '@gw/testing';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

const PATH = '/v2/agent-integrations/fetch-agent-card';
const AGENT = 'https://agent.example.org';

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly reason: string;
  readonly expect: unknown;
  readonly input: {
    readonly endpoint?: string;
    readonly organisation_id?: string;
    readonly authType?: string;
    readonly authHeader?: string;
    readonly authToken?: string;
    readonly answer?: unknown;
    readonly raw?: boolean;
    readonly status?: number;
    readonly redirect?: string;
    readonly padTo?: number;
    readonly gzipPadTo?: number;
    readonly contentType?: string;
    readonly then?: { readonly path: string; readonly answer: unknown };
  };
}
interface Failure {
  readonly error: { readonly type: string; readonly param: string | null; readonly message: string };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('POST /v2/agent-integrations/fetch-agent-card', () => {
  const api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const [tenant, other] = [api.sharedTenant(), api.sharedTenant()];
  let server: Server;
  let origin: string;
  let handle: Handler;
  let seen: IncomingMessage[];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request);
      handle(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterAll(() => server.close());
  beforeEach(() => {
    seen = [];
  });

  const card = (more: object = {}): object => ({ name: 'A', url: `${origin}/rpc`, skills: [], ...more });
  const answers =
    (body: string | Buffer, status = 200, headers: Record<string, string> = {}): Handler =>
    (_request, response) =>
      response.writeHead(status, headers).end(body);
  const fetchCard = (
    body: object,
    by: object = { key: tenant.adminKey },
  ): Promise<GatewayResponse<Failure>> => api.post<Failure>(PATH, { ...by, body });
  const refusal = ({ status, body }: GatewayResponse<Failure>): unknown[] => [status, body.error.param];

  it('[CTL-17] returns the card as it was published, including unknown members', async () => {
    const published = card({ version: '7', 'x-own': { deep: [1, null] } });
    handle = answers(JSON.stringify(published));
    const read = await fetchCard({ endpoint: `${origin}/agents/a/`, organisation_id: tenant.organisationId });
    expect([read.status, read.body]).toEqual([200, published]);
    expect(seen.map(({ url }) => url)).toEqual(['/agents/a/.well-known/agent-card.json']);
    expect((await fetchCard({ endpoint: origin }, { key: tenant.key })).status).toBe(200);
  });

  it('[ERR-10] reads the older path too, follows redirects, and sends the credential only to its own origin', async () => {
    const elsewhere = createServer((request, response) => {
      seen.push(request);
      response.end(JSON.stringify(card()));
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const away = `http://127.0.0.1:${String((elsewhere.address() as AddressInfo).port)}/card`;
    handle = ({ url }, response) => {
      if (url === '/.well-known/agent-card.json') response.writeHead(404).end();
      else response.writeHead(302, { location: away }).end();
    };
    const read = await fetchCard({
      endpoint: origin,
      authType: 'headers',
      authHeader: 'x-key',
      authToken: 's',
    });
    expect(read.status).toBe(200);
    expect(seen.map(({ url, headers }) => [url, headers['x-key']])).toEqual([
      ['/.well-known/agent-card.json', 's'],
      ['/.well-known/agent.json', 's'],
      ['/card', undefined],
    ]);
    elsewhere.close();
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])(
    '[ERR-10] reads %s, and stops at one byte more than 1 MiB of decoded content',
    async (coding, encode) => {
      const text = JSON.stringify(card());
      handle = answers(encode(text), 200, { 'content-encoding': coding });
      expect((await fetchCard({ endpoint: origin })).status).toBe(200);
      const bomb = encode(Buffer.alloc(100 * 1_048_576, ' '));
      handle = answers(bomb, 200, { 'content-encoding': coding });
      expect(refusal(await fetchCard({ endpoint: origin }))).toEqual([400, 'endpoint']);
    },
  );

  it('[ERR-10] reports an agent that cannot be reached, and one that breaks off the response', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const unreachable = await fetchCard({ endpoint: `http://127.0.0.1:${String(port)}` });
    expect(refusal(unreachable)).toEqual([400, 'endpoint']);
    handle = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{', () => response.destroy());
    };
    expect(refusal(await fetchCard({ endpoint: origin }))).toEqual([400, 'endpoint']);
  });

  it('reads at most four cards of an organisation concurrently, and those of others meanwhile', async () => {
    const waiting: ServerResponse[] = [];
    handle = (_request, response) => void waiting.push(response);
    const calls = Array.from({ length: 4 }, () => fetchCard({ endpoint: origin }));
    const four = new Promise((resolve) => {
      server.on('request', () => waiting.length === 4 && resolve(null));
    });
    await four;
    expect((await fetchCard({ endpoint: origin })).status).toBe(429);
    const theirs = fetchCard({ endpoint: origin }, { key: other.adminKey });
    await once(server, 'request');
    for (const response of waiting) response.end(JSON.stringify(card()));
    expect((await Promise.all([...calls, theirs])).map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200,
    ]);
  });

  it('requires a scope for registering agents', async () => {
    const key = await api.apiKey('organisation-service', tenant, ['logs.list']);
    expect((await fetchCard({ endpoint: origin }, { key })).status).toBe(403);
  });

  const { cases } = readCases('a2a.json') as { readonly cases: readonly Vector[] };
  // Vectors about addresses other than the agent's own mean the same here, since loopback is the
  // agent's address.
  const ofLoopback = new Set(['a2a-045', 'a2a-046', 'a2a-043']);
  const fetches = cases.filter(({ group, id }) => group === 'fetch' && !ofLoopback.has(id));

  it.each(fetches.map((vector) => [vector.id, vector.reason, vector] as const))(
    '%s %s [ERR-10] [CTL-17]',
    async (_id, _reason, { input, expect: wanted }) => {
      const here = (text: string): string => text.replaceAll(AGENT, origin);
      handle = handlerOf(input, here);
      const { endpoint, organisation_id: named, authType, authHeader, authToken } = input;
      const organisation = named === '<OTHER>' ? other.organisationId : tenant.organisationId;
      const { status, body } = await fetchCard({
        ...(endpoint === undefined ? {} : { endpoint: endpoint === AGENT ? origin : endpoint }),
        ...{ organisation_id: organisation, authType, authHeader, authToken },
      });
      if (wanted === 'accept') expect(status).toBe(200);
      else if (wanted === 'reject') expect([status, body.error.type]).toEqual([400, expect.any(String)]);
      else if (wanted !== 'either') expect((wanted as { status: number[] }).status).toContain(status);
    },
  );
});

/** Returns the handler that makes the agent respond as a vector says. */
function handlerOf(
  { answer, raw, status, redirect, padTo, gzipPadTo, contentType, then }: Vector['input'],
  here: (text: string) => string,
): Handler {
  const padded = (bytes: number): string => {
    const bare = here(JSON.stringify({ ...(answer as object), x: '' }));
    return bare.replace('"x":""', `"x":"${' '.repeat(bytes - bare.length)}"`);
  };
  const text = (): string =>
    raw === true && typeof answer === 'string' ? answer : here(JSON.stringify(answer) ?? '');
  return ({ url }, response) => {
    if (then !== undefined && url === then.path) response.end(here(JSON.stringify(then.answer)));
    else if (redirect !== undefined) response.writeHead(302, { location: redirect }).end();
    else if (status !== undefined && status !== 200) response.writeHead(status).end();
    else if (gzipPadTo !== undefined)
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(padded(gzipPadTo), { level: 1 }));
    else
      response
        .writeHead(200, { 'content-type': contentType ?? 'application/json' })
        .end(padTo === undefined ? text() : padded(padTo));
  };
}
