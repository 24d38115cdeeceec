import { Buffer } from 'node:buffer';
import { StubProvider } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

const FORM: Record<string, string> = { 'content-type': 'multipart/form-data; boundary=XYZ' };
const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x00, 0x0d, 0x0a, 0x2d, 0x2d, 0x58]);

type Part = readonly [head: string, value: string | Buffer];
const field = (name: string, value: string): Part => [`name="${name}"`, value];
const file = (value: Buffer, filename = 'a.png'): Part => [
  `name="image"; filename="${filename}"\r\nContent-Type: image/png`,
  value,
];
const form = (...parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([head, value]) => [
      Buffer.from(`--XYZ\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--XYZ--\r\n'),
  ]);
const no = (word: string, more: object = {}): object => ({
  ...more,
  contains: { words: [word], operator: 'none' },
});

describe('guardrails on forms', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start({ MAX_BUFFERED_BODY: String(1_048_576) });
    stub = await StubProvider.start();
    stub.respondJson({ data: [{ url: 'https://example.com/a.png' }] });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = (
    guardrail: object,
    body: Buffer,
    { path = '/images/edits', headers = FORM } = {},
  ): Promise<TestResponse> =>
    asker.ask(path, body, { config: { provider: '@main', input_guardrails: [guardrail] }, headers });
  const edit = (prompt: string, picture = PICTURE): Buffer =>
    form(field('model', 'gpt-image-1'), file(picture), field('prompt', prompt));

  it.each([
    ['/images/edits', 'prompt'],
    ['/images/variations', 'user'],
    ['/audio/transcriptions', 'prompt'],
    ['/audio/translations', 'prompt'],
    ['/files', 'purpose'],
    ['/odd/upload', 'instructions'],
  ])('[GRD-02] judges on %s the field %s', async (path, name) => {
    const body = form(field('model', 'm'), file(PICTURE), field(name, 'a bomb'));
    expect((await send(no('bomb', { deny: true }), body, { path })).status).toBe(446);
    expect(stub.requests).toHaveLength(0);
    expect((await send(no('bomb'), body, { path })).status).toBe(246);
    expect((await send(no('cake', { deny: true }), body, { path })).status).toBe(200);
    expect(stub.lastRequest.body.equals(body)).toBe(true);
  });

  it('judges file names and every value of a repeated name', async () => {
    const named = form(field('model', 'm'), file(PICTURE, 'bomb.png'));
    expect((await send(no('bomb', { deny: true }), named)).status).toBe(446);
    const twice = form(field('model', 'm'), field('prompt', 'a cake'), field('prompt', 'a bomb'));
    expect((await send(no('bomb', { deny: true }), twice)).status).toBe(446);
  });

  it('judges a form that is too large for memory, and forwards it byte for byte', async () => {
    const picture = Buffer.alloc(3 * 1_048_576, PICTURE);
    expect((await send(no('bomb', { deny: true }), edit('a bomb', picture))).status).toBe(446);
    expect(stub.requests).toHaveLength(0);
    const body = edit('a cake', picture);
    expect((await send(no('bomb', { deny: true }), body)).status).toBe(200);
    expect(stub.lastRequest.body.equals(body)).toBe(true);
    const replace = { regexReplace: { rule: 'cake', redactText: 'pie' } };
    expect((await send(replace, body)).status).toBe(413);
  });

  it('changes a text in place, and nothing else', async () => {
    const replace = { regexReplace: { rule: 'bomb|m$', redactText: 'größere Torte' } };
    await send(replace, form(field('model', 'x'), field('prompt', 'a bomb'), file(PICTURE), field('n', '2')));
    const expected = form(
      field('model', 'x'),
      field('prompt', 'a größere Torte'),
      file(PICTURE),
      field('n', '2'),
    );
    expect(stub.lastRequest.body.toString('latin1')).toBe(expected.toString('latin1'));
    expect(stub.lastRequest.headers['content-length']).toBe(String(expected.length));
    expect(stub.lastRequest.headers['content-type']).toBe(FORM['content-type']);
  });

  it('checks form fields as parameters, and sends them to webhooks', async () => {
    const check = { requestParametersCheck: { params: { values: { n: { blockedValues: ['9'] } } } } };
    const body = form(field('model', 'm'), field('n', '9'), file(PICTURE));
    expect((await send({ deny: true, ...check }, body)).status).toBe(446);
    const hook = await StubProvider.start();
    hook.respondJson({ verdict: true });
    expect((await send({ webhook: { webhookURL: hook.origin } }, body)).status).toBe(200);
    expect(JSON.parse(hook.lastRequest.body.toString())).toMatchObject({
      requestType: 'imageEdit',
      request: { json: { model: 'm', n: '9', image: { filename: 'a.png' } } },
    });
    await hook.stop();
  });

  const raw = (text: string): Buffer => Buffer.from(text, 'latin1');
  it.each<readonly [string, Buffer, Record<string, string>]>([
    ['text before its first part', Buffer.concat([raw('x\r\n'), edit('a')]), FORM],
    ['no end', edit('a').subarray(0, -6), FORM],
    ['a name without quotes', form(['name=prompt', 'a']), FORM],
    ['a name twice', form(['name="a"\r\nContent-Disposition: form-data; name="prompt"', 'a']), FORM],
    ['an encoded part', form(['name="prompt"\r\nContent-Transfer-Encoding: base64', 'YQ==']), FORM],
    ['a field that is not UTF-8', form(['name="prompt"', raw('\xff\xfe')]), FORM],
    [
      'an extended boundary parameter',
      edit('a'),
      { 'content-type': "multipart/form-data; boundary*=utf-8''XYZ" },
    ],
    ['no boundary', edit('a'), { 'content-type': 'multipart/form-data' }],
    ['too many parts', form(...Array.from({ length: 300 }, () => field('a', 'b'))), FORM],
  ])('refuses a form that parsers could read differently: %s', async (_what, body, headers) => {
    for (const path of ['/images/edits', '/odd/upload']) {
      const response = await send(no('bomb', { deny: true }), body, { path, headers });
      expect([
        response.status,
        (JSON.parse(response.text) as { error: { type: string } }).error.type,
      ]).toEqual([400, 'body_invalid']);
    }
    expect(stub.requests).toHaveLength(0);
  });

  it('finds a boundary wherever it lies between two pieces of a large form', async () => {
    // The spool is read in pieces of 64 KiB: the boundary is tested at every offset around the ends
    // of pieces.
    for (let shift = 0; shift < 12; shift += 1) {
      const head = form(field('model', 'm'), file(Buffer.alloc(0))).length - '\r\n--XYZ--\r\n'.length;
      const picture = Buffer.alloc(32 * 65_536 - head - shift, 0x2d);
      const body = form(field('model', 'm'), file(picture), field('prompt', 'a bomb'));
      expect((await send(no('bomb', { deny: true }), body)).status).toBe(446);
    }
  });
});
