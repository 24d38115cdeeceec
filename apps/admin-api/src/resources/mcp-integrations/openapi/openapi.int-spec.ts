import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { INTERNAL } from '@gw/contracts';
import { McpIntegrationEntity, McpOpenApiDocumentEntity } from '@gw/entities';
import { eventually, restDocument, startRestService, StubProvider, type RestService } from '@gw/testing';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../../spec-support/admin-api';

const PATH = '/v1/mcp-integrations';

interface Created {
  readonly id: string | null;
  readonly slug: string | null;
  readonly base_url: string | null;
  readonly servers: readonly string[];
  readonly tools: readonly { readonly name: string; readonly operation: string }[];
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[];
  readonly operations?: readonly {
    readonly operation: string;
    readonly operation_id: string | null;
    readonly tags: readonly string[];
    readonly selected: boolean;
  }[];
  readonly warnings?: readonly { readonly path: string; readonly message: string }[];
  readonly error?: { readonly type: string; readonly param?: string; readonly message: string };
}
interface Change {
  readonly type: string;
  readonly name: string;
  readonly digest: string;
  readonly old: Readonly<Record<string, unknown>> | null;
  readonly new: Readonly<Record<string, unknown>>;
}

const paths = (of: object): object => ({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: of });

describe('MCP integrations from OpenAPI documents', () => {
  const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const ours = admin.sharedTenant();
  let service: RestService;
  beforeEach(async () => {
    service = await startRestService();
  });
  afterEach(() => service.close());

  const call = { key: ours.adminKey };
  let count = 0;
  function create(openapi: object, more: object = {}): Promise<GatewayResponse<Created>> {
    count += 1;
    const body = { name: `Pets ${String(count)}`, auth_type: 'none', openapi, ...more };
    return admin.post<Created>(`${PATH}/from-openapi`, { ...call, body });
  }
  async function made(openapi: object, more: object = {}): Promise<string> {
    const response = await create(openapi, more);
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body.id ?? '';
  }
  const put = (id: string, body: object): Promise<GatewayResponse<Created>> =>
    admin.put<Created>(`${PATH}/${id}/openapi`, { ...call, body });
  const tools = async (id: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await admin.get<{ data: Record<string, unknown>[] }>(`${PATH}/${id}/capabilities?type=tool`, call)).body
      .data;
  const changes = async (id: string): Promise<readonly Change[]> =>
    (await admin.get<{ data: Change[] }>(`${PATH}/${id}/capabilities/changes`, call)).body.data;
  const rowOf = (id: string): Promise<McpIntegrationEntity> =>
    admin.dataSource.manager.findOneByOrFail(McpIntegrationEntity, { id });
  async function syncDue(id: string): Promise<void> {
    await admin.dataSource.manager.update(McpIntegrationEntity, { id }, { nextSyncAt: new Date(0) });
    for (let count = 1; count > 0;)
      count = (await admin.post(INTERNAL.mcpSync, { token: SERVICE_TOKEN })).body['read'] as number;
  }

  it('have a tool for each GET operation, with the HTTP request that a call makes', async () => {
    const { body } = await create({ spec: restDocument(service.url.href) });
    expect(body).toMatchObject({ base_url: service.url.href, servers: [service.url.href], skipped: [] });
    expect(body.tools).toContainEqual({ name: 'getPet', operation: 'get /pets/{id}' });
    expect(body.tools.map(({ operation }) => operation)).not.toContain('post /pets');
    const get = (await tools(body.id ?? '')).find(({ name }) => name === 'getPet');
    expect(get).toMatchObject({
      ...{ state: 'approved', enabled: true, description: 'Returns a pet.', operation: 'get /pets/{id}' },
      ...{ annotations: { readOnlyHint: true }, input_schema: { required: ['id'] } },
    });
    const { body: integration } = await admin.get(`${PATH}/${body.id ?? ''}`, call);
    expect(integration).toMatchObject({ kind: 'openapi', url: service.url.href, transport: 'http' });
    const { body: metadata } = await admin.get(`${PATH}/${body.id ?? ''}/metadata`, call);
    expect(metadata).toMatchObject({ server_name: 'Pets', protocol_version: null, sync_status: 'synced' });
  });

  it('accept YAML, and select operations, names and read-only operations', async () => {
    const spec = `
openapi: 3.0.3
info: {title: Y, version: "1"}
servers: [{url: "${service.url.href}"}]
paths:
  /pets/search: {post: {operationId: search, tags: [pets]}}
  /pets/{id}: {delete: {parameters: [{in: path, name: id}], tags: [pets]}}
  /admin: {delete: {tags: [pets, admin]}}
`;
    const id = await made({
      ...{ spec, include: { tags: ['pets'] }, exclude: { paths: ['/admin*'] } },
      ...{ aliases: { 'delete /pets/{id}': 'remove' }, read_only: ['search'] },
    });
    expect((await tools(id)).map(({ name, annotations }) => [name, annotations])).toEqual([
      ['search', expect.objectContaining({ readOnlyHint: true })],
      ['remove', expect.objectContaining({ destructiveHint: true })],
    ]);
    expect((await admin.get(`${PATH}/${id}/openapi`, call)).body).toMatchObject({
      ...{ spec_url: null, include: { tags: ['pets'] } },
      ...{ aliases: { 'delete /pets/{id}': 'remove' }, output_schemas: true, digest: expect.any(String) },
    });
    const shown = await admin.get(`${PATH}/${id}/openapi?document=true`, call);
    expect(shown.body['document']).toBe(spec);
    expect((await admin.get(`${PATH}/${id}/openapi?document=false`, call)).body).not.toHaveProperty(
      'document',
    );
    const { adminKey: key } = await admin.tenant();
    expect((await admin.get(`${PATH}/${id}/openapi?document=true`, { key })).status).toBe(404);
  });

  it('are previewed before they are created, with all operations to choose from', async () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`/p${String(at)}`, { get: {} }]));
    const { body } = await create({ spec: paths(many) }, { commit: false });
    expect(body).toMatchObject({ id: null, slug: null, tools: [] });
    expect(body.operations).toHaveLength(120);
    expect(body.warnings).toEqual([
      { path: 'openapi.include', message: '120 operations are selected; select at most 100.' },
    ]);
    const chosen = await create({ spec: paths(many), include: { paths: ['/p1*'] } }, { commit: false });
    expect(chosen.body.operations?.filter(({ selected }) => selected)).toHaveLength(31);
    expect(chosen.body.tools).toHaveLength(31);
    expect(chosen.body).not.toHaveProperty('warnings.0');
  });

  it('are previewed with the beginning of long names, which many operations may share', async () => {
    const item = { $ref: '#/components/item' };
    const spec = {
      ...paths({ '/a': item, '/b': item }),
      components: { item: { get: { operationId: 'o'.repeat(1_000), tags: ['t'.repeat(1_000)] } } },
    };
    const { body } = await create({ spec }, { commit: false });
    const names = { operation_id: 'o'.repeat(255), tags: ['t'.repeat(255)] };
    expect(body.operations).toEqual([expect.objectContaining(names), expect.objectContaining(names)]);
  });

  it('leave out operations that cannot be tools, with the reason', async () => {
    const spec = paths({
      '/a': { get: {} },
      '/b': { get: { parameters: [{ $ref: 'https://evil.example/p' }] } },
    });
    const { body } = await create({ spec }, { base_url: service.url.href });
    expect(body.skipped).toEqual([
      { operation: 'get /b', reason: 'References to other documents are not supported.' },
    ]);
    expect((await admin.get(`${PATH}/${body.id ?? ''}/openapi`, call)).body).toMatchObject({
      skipped: body.skipped,
    });
  });

  const base = { base_url: 'http://127.0.0.1:9999/v1' };
  const loop = { $ref: '#/components/schemas/A' };
  it.each([
    ['neither a document nor a URL', {}, base, 'openapi.spec', 'is required'],
    ['both', { spec: paths({}), spec_url: 'http://127.0.0.1/a' }, base, 'openapi.spec_url', 'together'],
    ['Swagger 2.0', { spec: { swagger: '2.0' } }, base, 'openapi.spec', 'convert the document'],
    ['another version', { spec: { openapi: '4.0.0' } }, base, 'openapi.spec', '3.0 or 3.1'],
    ['no document', { spec: 'a: [' }, base, 'openapi.spec', 'neither JSON nor YAML'],
    ['aliases of themselves', { spec: 'a: &a [*a]' }, base, 'openapi.spec', 'levels'],
    ['no operation', { spec: paths({}) }, base, 'openapi.include', 'selects no operation'],
    [
      'references in a circle alone',
      { spec: paths({ '/a': { get: { parameters: [{ $ref: '#/paths/~1a/get/parameters/0' }] } } }) },
      base,
      'openapi.include',
      'reference to itself',
    ],
    [
      'an operationId that the document does not have',
      { spec: paths({ '/a': { get: {} } }), include: { operation_ids: ['get /a'] } },
      base,
      'openapi.include.operation_ids.0',
      'by methods and paths',
    ],
    [
      'a name that is no name of a tool',
      { spec: paths({ '/a': { get: {} } }), aliases: { 'get /a': 'a b' } },
      base,
      'openapi.aliases.get /a',
      'letters, digits',
    ],
    ['no server', { spec: paths({ '/a': { get: {} } }) }, {}, 'base_url', 'names no server'],
    [
      'a query in the base URL',
      { spec: paths({ '/a': { get: {} } }) },
      { base_url: 'https://api.example.com/v1?a=b' },
      'base_url',
      'must not have a query',
    ],
    [
      'a credential for a server that only the document names',
      { spec: { ...paths({ '/a': { get: {} } }), servers: [{ url: 'https://evil.example' }] } },
      { auth_type: 'headers', configurations: { headers: { authorization: 'secret' } } },
      'base_url',
      'send https://evil.example',
    ],
  ])('are refused with %s', async (_what, openapi, more, param, message) => {
    const { status, body } = await create(openapi, more);
    expect([status, body.error?.param]).toEqual([400, param]);
    expect(body.error?.message).toContain(message);
  });

  it('leave out operations with texts that cannot be stored, with the reason', async () => {
    const half = '\ud83d.';
    const spec = JSON.stringify(
      paths({
        '/a\0': { get: {} },
        '/b': { get: { description: half } },
        '/c': { get: { parameters: [{ in: 'query', name: `c\0${half}`, style: 'matrix' }] } },
        '/d': { get: {} },
      }),
    );
    const { status, body } = await create({ spec }, { base_url: service.url.href });
    expect([status, body.tools.map(({ operation }) => operation)]).toEqual([200, ['get /d']]);
    expect(body.skipped.map(({ operation }) => operation)).toEqual(['get /a\ufffd', 'get /c', 'get /b']);
  });

  it('are stored when a long title, summary or description would end within a character', async () => {
    const info = { title: `${'t'.repeat(254)}👩`, version: '1', description: `${'d'.repeat(16_383)}👩` };
    const get = { description: `${'s'.repeat(1_023)}👩` };
    const spec = { ...paths({ '/a': { get } }), info };
    const { status, body } = await create({ spec }, base);
    expect([status, body.tools?.length, body.skipped]).toEqual([200, 1, []]);
  });

  it('accept documents whose schemas refer to themselves', async () => {
    const schema = { type: 'object', properties: { a: loop } };
    const operation = { parameters: [{ in: 'query', name: 'q', schema: loop }] };
    const spec = { ...paths({ '/a': { get: operation } }), components: { schemas: { A: schema } } };
    expect((await create({ spec }, base)).text).toContain('get_a');
  });

  it.each([
    [
      'a private base URL',
      { spec: paths({ '/a': { get: {} } }) },
      { base_url: 'http://10.0.0.1/v1' },
      'base_url',
    ],
    [
      'a private server of the document',
      { spec: { ...paths({ '/a': { get: {} } }), servers: [{ url: 'http://169.254.169.254/latest' }] } },
      {},
      'base_url',
    ],
    ['a private address of the document', { spec_url: 'http://192.168.0.1/a' }, base, 'openapi.spec_url'],
  ])('refuse %s', async (_what, openapi, more, param) => {
    const { status, body } = await create(openapi, more);
    expect([status, body.error?.type, body.error?.param]).toEqual([400, 'custom_host_refused', param]);
  });

  const publish = (respond: (response: ServerResponse) => void): void => {
    service.spec = respond;
  };
  it.each([
    [
      'a redirect to a private address',
      (r: ServerResponse) => r.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      'was not read (refused)',
    ],
    [
      'a compressed bomb',
      (r: ServerResponse) =>
        r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * 1_048_576, ' '))),
      'larger than',
    ],
    ['10 MB', (r: ServerResponse) => r.writeHead(200).end(Buffer.alloc(10_000_000, ' ')), 'larger than'],
    ['an error', (r: ServerResponse) => r.writeHead(503).end(), 'status 503'],
    [
      'bytes that are no text',
      (r: ServerResponse) => r.writeHead(200).end(Buffer.from([0xff, 0xfe])),
      'not in UTF-8',
    ],
    ['a page', (r: ServerResponse) => r.writeHead(200).end('<html></html>'), 'must be an object'],
  ])('refuse a URL that responds with %s', async (_what, respond, message) => {
    publish(respond);
    const { status, body } = await create({ spec_url: service.specUrl.href }, base);
    expect([status, body.error?.param]).toEqual([400, 'openapi.spec_url']);
    expect(body.error?.message).toContain(message);
  });

  it('refuse a document of more than 5 MiB, and a body of more than 10 MiB', async () => {
    const spec = JSON.stringify({ openapi: '3.1.0', paths: {}, x: 'x'.repeat(6_000_000) });
    expect((await create({ spec }, base)).status).toBe(400);
    expect((await create({ spec: spec.repeat(2) }, base)).status).toBe(413);
  });

  it('follow a document at a URL: changes wait, and cannot be called until they are approved', async () => {
    const id = await made({ spec_url: service.specUrl.href }, { approval_mode: 'review_changes' });
    const { paths: before, ...rest } = restDocument(service.url.href);
    const moved = { ...before['/pets/{id}'], get: { ...before['/pets/{id}'].get, operationId: 'getPet' } };
    const { '/pets/{id}': _pet, ...others } = before;
    service.spec = { ...rest, paths: { ...others, '/admin/{id}': moved } };
    await syncDue(id);
    const [change] = (await changes(id)).filter(({ type }) => type === 'tool');
    expect(change).toMatchObject({
      name: 'getPet',
      old: { _meta: { 'gw/operation': { path: '/pets/{id}' } } },
      new: { _meta: { 'gw/operation': { path: '/admin/{id}' } } },
    });
    expect((await tools(id)).find(({ name }) => name === 'getPet')).toMatchObject({ state: 'changed' });
    const items = [{ type: 'tool', name: 'getPet', digest: change?.digest }];
    await admin.post(`${PATH}/${id}/capabilities/approve`, { ...call, body: { items } });
    expect((await tools(id)).find(({ name }) => name === 'getPet')).toMatchObject({
      ...{ state: 'approved', operation: 'get /admin/{id}' },
    });
  });

  it('require approval of another HTTP operation even in the mode auto, and apply other changes', async () => {
    const id = await made({ spec_url: service.specUrl.href }, { approval_mode: 'auto' });
    const document = restDocument(service.url.href);
    const { get } = document.paths['/pets'];
    service.spec = {
      ...document,
      paths: {
        '/users': { get },
        '/pets/{id}': {
          ...document.paths['/pets/{id}'],
          get: { ...document.paths['/pets/{id}'].get, summary: 'Another text.' },
        },
      },
    };
    await syncDue(id);
    const states = new Map(
      (await tools(id)).map(({ name, state, description }) => [name, [state, description]]),
    );
    expect(states.get('listPets')).toEqual(['changed', 'Lists pets.']);
    expect(states.get('getPet')).toEqual(['approved', 'Another text.']);
  });

  it('keep their tools when the document cannot be read, and show the reason', async () => {
    const id = await made({ spec_url: service.specUrl.href });
    service.spec = { swagger: '2.0' };
    await syncDue(id);
    expect(await rowOf(id)).toMatchObject({
      syncStatus: 'failed',
      syncError: expect.stringContaining('Swagger'),
    });
    expect((await tools(id)).length).toBeGreaterThan(0);
  });

  it('are not read again without a URL', async () => {
    const id = await made({ spec: restDocument(service.url.href) });
    await syncDue(id);
    expect((await rowOf(id)).nextSyncAt).toEqual(new Date(0));
  });

  it('accept another selection or document, which is read immediately', async () => {
    const id = await made({ spec: restDocument(service.url.href) });
    const etag = String((await admin.get(`${PATH}/${id}`, call)).headers['etag']);
    const { body } = await put(id, { include: { operation_ids: ['addPet', 'getPet'] } });
    expect(body.tools.map(({ name }) => name)).toEqual(['addPet', 'getPet']);
    const listed = new Map((await tools(id)).map(({ name, state }) => [name, state]));
    expect([...listed]).toEqual([
      ['addPet', 'pending'],
      ['getPet', 'approved'],
    ]);
    const stale = await admin.put(`${PATH}/${id}/openapi`, {
      ...call,
      body: {},
      headers: { 'if-match': etag },
    });
    expect(stale.status).toBe(412);
    expect((await put(id, { include: { tags: ['none'] } })).status).toBe(400);
    const { body: other } = await put(id, {
      spec: paths({ '/x': { get: { operationId: 'x' } } }),
      include: null,
    });
    expect(other.tools).toEqual([{ name: 'x', operation: 'get /x' }]);
  });

  it('are not reverted by a change that started before another one', async () => {
    const id = await made({ spec: restDocument(service.url.href) });
    const slow = await StubProvider.start();
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    slow.respond({ steps: [{ until }, { chunk: JSON.stringify(restDocument(service.url.href)) }] });
    const first = put(id, { spec_url: `${slow.origin}/spec.json` });
    await eventually(() => slow.requests.length === 1);
    const second = await put(id, { spec: paths({ '/x': { get: { operationId: 'x' } } }) });
    expect(second.status).toBe(200);
    release();
    const { status, body } = await first;
    expect([status, body.error?.type]).toEqual([409, 'conflict']);
    expect((await tools(id)).filter(({ state }) => state !== 'removed').map(({ name }) => name)).toContain(
      'x',
    );
    const saved = await admin.get<{ spec_url: string | null }>(`${PATH}/${id}/openapi`, call);
    expect(saved.body.spec_url).toBeNull();
    await slow.stop();
  });

  it('keep a selection that changed while the document was read, and the time of the last reading', async () => {
    const slow = await StubProvider.start();
    const document = restDocument(service.url.href);
    slow.respond({ body: document });
    const id = await made({ spec_url: `${slow.origin}/spec.json` });
    const saved = (): Promise<McpOpenApiDocumentEntity> =>
      admin.dataSource.manager.findOneByOrFail(McpOpenApiDocumentEntity, { integrationId: id });
    const { digest, readAt } = await saved();
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const other = { ...document, info: { title: 'Other', version: '2' } };
    slow.respond({ steps: [{ until }, { chunk: JSON.stringify(other) }] });
    const reading = admin.post(`${PATH}/${id}/sync`, { ...call, body: {} });
    await eventually(() => slow.requests.length === 2);
    expect((await put(id, { include: { operation_ids: ['getPet'] } })).status).toBe(200);
    release();
    expect((await reading).status).toBe(409);
    expect(await saved()).toMatchObject({ digest, readAt });
    slow.respond({ body: other });
    expect((await admin.post(`${PATH}/${id}/sync`, { ...call, body: {} })).body).toEqual({ success: true });
    expect((await saved()).digest).not.toBe(digest);
    expect((await saved()).document).toContain('Other');
    await slow.stop();
  });

  it('accept no report of capabilities, no other transport and no query', async () => {
    const id = await made({ spec: restDocument(service.url.href) });
    const report = { capabilities: [{ type: 'tool', name: 'forged', _meta: { 'gw/operation': {} } }] };
    expect((await admin.post(`${PATH}/${id}/sync`, { ...call, body: report })).status).toBe(400);
    expect((await admin.put(`${PATH}/${id}`, { ...call, body: { transport: 'sse' } })).status).toBe(400);
    expect(
      (await admin.put(`${PATH}/${id}`, { ...call, body: { url: `${service.url.href}?a=b` } })).status,
    ).toBe(400);
    expect((await admin.post(`${PATH}/${id}/sync`, { ...call, body: {} })).body).toEqual({ success: true });
  });

  it('are tested by a request without the credential', async () => {
    const headers = { authorization: 'Bearer secret' };
    const credential = { auth_type: 'headers', configurations: { headers }, base_url: service.url.href };
    const id = await made({ spec: restDocument(service.url.href) }, credential);
    const { body } = await admin.post(`${PATH}/${id}/test`, { ...call, body: {} });
    expect(body).toMatchObject({ success: true, server_name: 'Pets' });
    expect(service.requests.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  it('are tested by the status alone, however long the body is', async () => {
    const long = await StubProvider.start();
    const steps = [{ chunk: 'a'.repeat(100_000) }, { hang: true }] as const;
    const id = await made({ spec: restDocument(service.url.href) }, { base_url: long.origin });
    for (const [status, success] of [
      [200, true],
      [404, true],
      [503, false],
    ] as const) {
      long.respond({ status, steps });
      const { body } = await admin.post(`${PATH}/${id}/test`, { ...call, body: {} });
      expect(body).toMatchObject({ success, ...(!success && { status_code: status }) });
    }
    await long.stop();
  });

  it('require the secrets again for another host', async () => {
    const headers = { authorization: 'Bearer secret' };
    const credential = { auth_type: 'headers', configurations: { headers }, base_url: service.url.href };
    const id = await made({ spec: restDocument(service.url.href) }, credential);
    const moved = { url: 'https://evil.example/v1' };
    expect((await admin.put(`${PATH}/${id}`, { ...call, body: moved })).status).toBe(400);
    const spec = { ...restDocument(service.url.href), servers: [{ url: 'https://evil.example' }] };
    expect((await put(id, { spec })).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ url: service.url.href });
  });

  it('have no document when they are MCP servers, and none after their end', async () => {
    const server = {
      name: 'Server',
      url: 'https://mcp.example.com/mcp',
      auth_type: 'none',
      transport: 'http',
    };
    const { body } = await admin.post<{ id: string }>(PATH, { ...call, body: server });
    expect((await admin.get(`${PATH}/${body.id}/openapi`, call)).status).toBe(409);
    const id = await made({ spec: restDocument(service.url.href) });
    await admin.delete(`${PATH}/${id}`, call);
    expect(await admin.dataSource.manager.countBy(McpOpenApiDocumentEntity, { integrationId: id })).toBe(0);
  });
});
