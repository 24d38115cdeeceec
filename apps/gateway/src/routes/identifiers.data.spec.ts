import { request } from 'node:http';
import { StubProvider, readCases } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

interface IdentifierCase {
  readonly id: string;
  readonly field: string;
  readonly value: string;
  readonly expect: string;
  readonly reason: string;
}

const { cases } = readCases('identifiers.json') as { readonly cases: readonly IdentifierCase[] };
const of = (field: string): [string, IdentifierCase][] =>
  cases.filter((item) => item.field === field).map((item) => [`${item.id} (${item.reason})`, item]);
/**
 * The file's title says Kelvin sign, but the value has the letter K that normalisation makes of it.
 */
const KELVIN = 'id-033';

/** Every built-in route with a provider id in its path, and passthrough. */
const WITH_ID = [
  '/files/{}',
  '/files/{}/content',
  '/batches/{}',
  '/fine_tuning/jobs/{}',
  '/assistants/{}',
  '/threads/{}',
  '/threads/{}/messages',
  '/threads/{}/runs',
  '/threads/thread_1/runs/{}/steps',
  '/vector_stores/{}/files',
  '/responses/{}',
  '/something/else/{}',
];

const escaped = (text: string): string => text.replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);

describe('slugs and path ids on the data plane', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ id: 'x', object: 'any', data: [], choices: [] });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  /** Encodes a text as a header value of UTF-8 bytes. Null if HTTP cannot carry it. */
  const inHeader = (text: string): string | null =>
    /[\u0000-\u001f]/.test(text) ? null : Buffer.from(text).toString('latin1');

  const send = (path: string, headers: Record<string, string>, body?: object): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const req = request(
        `${gateway.baseUrl}${path}`,
        {
          method: body ? 'POST' : 'GET',
          headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers },
        },
        (response) => {
          let text = '';
          response.on('data', (data: Buffer) => (text += data.toString()));
          response.on('end', () => {
            resolve([response.statusCode ?? 0, text]);
          });
        },
      );
      req.on('error', reject);
      req.end(body && JSON.stringify(body));
    });
  const chat = (headers: Record<string, string>, model = 'gpt-4o'): Promise<[number, string]> =>
    send('/chat/completions', headers, { model, messages: [{ role: 'user', content: 'x' }] });

  // Runs before a provider `a` exists: HTTP trims header values, and `@a/b/gpt-4o` is a model of
  // `a`.
  const refused = of('slug').filter(([, { id, expect: verdict }]) => verdict === 'reject' && id !== KELVIN);
  it.each(refused)('cause no provider call if the slug is invalid: %s', async (_title, { value }) => {
    const text = inHeader(value);
    const calls =
      text === null
        ? []
        : [{ 'x-gw-provider': `@${text}` }, { 'x-gw-virtual-key': text }, { 'x-gw-config': text }].map(
            (headers) => chat(headers as Record<string, string>),
          );
    for (const [status, body] of await Promise.all([...calls, chat({}, `@${value}/gpt-4o`)])) {
      expect([status, body]).toEqual([400, expect.stringContaining('"code":"AB01"')]);
    }
    expect(stub.requests).toHaveLength(0);
  });

  const taken = of('slug').filter(([, { expect: verdict }]) => verdict !== 'reject');
  it.each(taken)('select a provider and a config by the slug of %s', async (_title, { value }) => {
    gateway.addProvider(value, 'openai', stub.origin);
    gateway.addConfig(value, { provider: `@${value}` });
    for (const headers of [
      { 'x-gw-provider': `@${value}` },
      { 'x-gw-virtual-key': value },
      { 'x-gw-config': value },
    ]) {
      expect([headers, (await chat(headers as Record<string, string>))[0]]).toEqual([headers, 200]);
    }
    expect((await chat({}, `@${value}/gpt-4o`))[0]).toBe(200);
    expect(stub.lastRequest.body.toString()).toContain('"model":"gpt-4o"');
    expect(stub.requests).toHaveLength(4);
  });

  it.each(of('path id'))(
    'forward the id of %s unchanged or refuse it, on every route with an id',
    async (_title, { value }) => {
      const id = escaped(value);
      for (const path of WITH_ID) {
        stub.requests.length = 0;
        const url = path.replace('{}', id);
        const [status] = await send(url, { 'x-gw-provider': '@main' });
        if (status === 200) expect(stub.lastRequest.url).toBe(`/v1${url}`);
        else expect([path, [400, 404].includes(status), stub.requests.length]).toEqual([path, true, 0]);
      }
    },
  );
});
