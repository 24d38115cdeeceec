import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restDocument, startRestService, type RestService } from '@gw/testing';
import { exportState, type State } from '../apps/cli/src/reconcile';
import { CliTenants } from './spec-support/cli-tenants';

const URL_OF_PETS = 'https://pets.example.com/v1';
const AUTHORIZATION = { env: 'TOLLGATE_MCP_PETS_HEADERS_AUTHORIZATION' };
const SECRET = 'Bearer of-the-service';
const YAML = `# Times of the day.\r
openapi: "3.0.3"
info: { title: Clock, version: "1" }
paths:
  /now: { get: { operationId: now, summary: "Says 'now':\\t ü" } }
`;

describe('HTTP services in files', () => {
  const tenants = new CliTenants(
    { [AUTHORIZATION.env]: SECRET, TOLLGATE_SECRET: 'no-part-of-a-document' },
    { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
  );
  const { admin } = tenants;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-'));
  let service: RestService;
  beforeAll(async () => {
    service = await startRestService();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await service.close();
  });

  const item = (openapi: object, more: object = {}): Readonly<Record<string, unknown>> => ({
    ...{ slug: 'pets', name: 'Pets', url: URL_OF_PETS, auth_type: 'none', openapi, ...more },
  });
  const file = (openapi: object, more: object = {}): State => ({ mcp_integrations: [item(openapi, more)] });
  const document = JSON.stringify(restDocument(URL_OF_PETS));
  const rowsOf = (tenant: Parameters<typeof tenants.clientOf>[0]) =>
    tenants.clientOf(tenant).all('/v1/mcp-integrations');

  it('are created with servers, access and rules, and exported equally without secrets', async () => {
    const tenant = await admin.tenant();
    const [{ slug } = {}] = await tenants.clientOf(tenant).all('/v1/workspaces');
    const workspace = String(slug);
    const openapi = { spec: document, include: { tags: ['pets'] }, aliases: { 'get /pets': 'list' } };
    const signIn = { auth_type: 'headers', configurations: { headers: { authorization: AUTHORIZATION } } };
    const state: State = {
      ...file(openapi, signIn),
      mcp_integration_access: [{ integration: 'pets', global: { enabled: true } }],
      mcp_servers: [{ workspace, slug: 'pets', name: 'Pets', integration: 'pets' }],
      mcp_server_access: [
        {
          ...{ server: 'pets', workspace, default: 'deny' },
          rules: [{ subject: { type: 'role', id: 'manager' }, tools: ['list'], effect: 'allow' }],
        },
      ],
    };
    await tenants.apply(tenant, state, { dryRun: true, validates: true });
    expect(await rowsOf(tenant)).toEqual([]);
    expect(await tenants.apply(tenant, state)).toHaveLength(4);
    expect(await tenants.apply(tenant, state)).toEqual([]);
    const [row] = await rowsOf(tenant);
    expect(row).toMatchObject({ kind: 'openapi', url: URL_OF_PETS, transport: 'http' });
    const exported = await exportState(tenants.clientOf(tenant));
    expect(exported).toMatchObject(state);
    expect(JSON.stringify(exported)).not.toContain(SECRET);
    const other = await admin.tenant();
    await tenants.apply(other, { mcp_integrations: exported['mcp_integrations'] ?? [] });
    expect(await exportState(tenants.clientOf(other))).toMatchObject(file(openapi, signIn));
  });

  it('write only documents and selections if nothing else differs', async () => {
    const tenant = await admin.tenant();
    await tenants.apply(tenant, file({ spec: document, include: { methods: ['get'] } }));
    // White space of a JSON document is not a difference.
    const spaced = JSON.stringify(JSON.parse(document), null, 4);
    const before = file({ spec: spaced, include: { methods: ['get'] } });
    expect(await tenants.apply(tenant, before)).toEqual([]);
    const [{ id } = {}] = await rowsOf(tenant);
    const toolsOf = async (): Promise<unknown[]> =>
      (await tenants.clientOf(tenant).all(`/v1/mcp-integrations/${String(id)}/capabilities`)).map(
        ({ name }) => name,
      );
    const changed = file({ spec: YAML });
    await tenants.apply(tenant, changed, { dryRun: true, validates: true });
    expect(await tenants.apply(tenant, changed)).toEqual(['update mcp_integrations pets (openapi)']);
    expect(await toolsOf()).toContain('now');
    expect(await tenants.apply(tenant, changed)).toEqual([]);
    const versions = await tenants
      .clientOf(tenant)
      .call('GET', `/v1/mcp-integrations/${String(id)}/versions`);
    expect(versions).toMatchObject({ total: 1 });
    // From here on the control plane reads the document from its URL.
    const read = file({ spec_url: service.specUrl.href, include: { tags: ['pets'] } });
    expect(await tenants.apply(tenant, read)).toEqual(['update mcp_integrations pets (openapi)']);
    expect(await tenants.apply(tenant, read)).toEqual([]);
    const { mcp_integrations: [exported] = [] } = await exportState(tenants.clientOf(tenant));
    expect(exported?.['openapi']).toEqual({
      ...{ spec_url: service.specUrl.href, include: { tags: ['pets'] }, output_schemas: true },
    });
    await expect(
      tenants.apply(tenant, file({ spec: document, include: { tags: ['none'] } })),
    ).rejects.toThrow('mcp_integrations pets:');
  });

  it('are deleted by --prune if no file has them, but not by files without their lists', async () => {
    const tenant = await admin.tenant();
    await tenants.apply(tenant, file({ spec: document }));
    expect(await tenants.apply(tenant, {}, { prune: true })).toEqual([]);
    expect(await tenants.apply(tenant, { mcp_integrations: [] })).toEqual([]);
    expect(await tenants.apply(tenant, { mcp_integrations: [] }, { prune: true })).toEqual([
      'delete mcp_integrations pets ()',
    ]);
    expect(await rowsOf(tenant)).toEqual([]);
  });

  it('are refused with the missing or impossible member, before anything is written', async () => {
    const tenant = await admin.tenant();
    const refusalOf = (state: State): Promise<string> =>
      tenants.apply(tenant, state, { dryRun: true, validates: true }).then(
        () => '',
        (error: unknown) => String(error),
      );
    const source = 'openapi needs the document: spec_file, spec or spec_url, and only one of them';
    expect(await refusalOf(file({}))).toContain(source);
    expect(await refusalOf(file({ spec: document, spec_url: service.specUrl.href }))).toContain(source);
    expect(await refusalOf(file({ spec: document }, { url: undefined }))).toContain('url is required');
    expect(await refusalOf(file({ spec: document }, { transport: 'sse' }))).toContain('must be http');
    expect(await refusalOf(file({ spec: '{"openapi": ' }))).toContain('begins like JSON and is none');
    expect(await refusalOf(file({ spec: document, includes: {} }))).toContain('did you mean');
    // An empty list selects no operation, so it does not select all by mistake.
    expect(await refusalOf(file({ spec: document, include: { tags: [] } }))).toContain(
      'selects no operation',
    );
    expect(await rowsOf(tenant)).toEqual([]);
    await tenants.apply(tenant, file({ spec: document }));
    const { openapi: _openapi, ...server } = item({});
    await expect(tenants.apply(tenant, { mcp_integrations: [server] })).rejects.toThrow(
      'cannot become an HTTP service with openapi, nor the other way round',
    );
  });

  it('keep a document unchanged, because it cannot name variables', async () => {
    const tenant = await admin.tenant();
    const example = { env: 'TOLLGATE_SECRET' };
    const spec = { openapi: '3.1.0', info: { title: 'T' }, paths: { '/a': { get: { example } } } };
    await tenants.apply(tenant, file({ spec }));
    expect(await tenants.apply(tenant, file({ spec }))).toEqual([]);
    const { mcp_integrations: [exported] = [] } = await exportState(tenants.clientOf(tenant));
    expect(exported).toMatchObject({ openapi: { spec: JSON.stringify(spec) } });
  });

  it('have their documents in separate files, in which a second apply finds no difference', async () => {
    const tenant = await admin.tenant();
    const [pets, clock] = [item({ spec: document }), item({ spec: YAML }, { slug: 'clock' })];
    await tenants.apply(tenant, { mcp_integrations: [pets, clock] });
    const path = join(folder, 'all.yaml');
    expect(await tenants.run(tenant, 'export', '-o', path)).toEqual({ code: 0, text: '' });
    expect(readFileSync(path, 'utf8')).toContain('spec_file: all.openapi/pets.json');
    const written = readFileSync(join(folder, 'all.openapi', 'pets.json'), 'utf8');
    expect([written.split('\n').length > 100, JSON.parse(written)]).toEqual([true, JSON.parse(document)]);
    expect(readFileSync(join(folder, 'all.openapi', 'clock.yaml'), 'utf8')).toBe(YAML);
    expect(await tenants.run(tenant, 'diff', '-f', path)).toEqual({ code: 0, text: 'No difference.\n' });
    const inline = join(folder, 'inline.yaml');
    await tenants.run(tenant, 'export', '-o', inline, '--inline');
    expect(readFileSync(inline, 'utf8')).not.toContain('spec_file');
    expect(await tenants.run(tenant, 'diff', '-f', inline)).toEqual({ code: 0, text: 'No difference.\n' });
    const { text } = await tenants.run(tenant, 'export');
    expect(text).toBe(readFileSync(inline, 'utf8'));
  });

  it('refuse a document that is not a file, too large or not a text, with file and line', async () => {
    const tenant = await admin.tenant();
    const refusalOf = async (name: string, more = ''): Promise<string> => {
      const at = join(folder, 'bad.yaml');
      const openapi = `{ spec_file: ${name}${more} }`;
      writeFileSync(at, `version: 1\nmcp_integrations:\n  - { slug: a, name: A, openapi: ${openapi} }\n`);
      const { code, text } = await tenants.run(tenant, 'plan', '-f', at);
      expect([code, text]).toEqual([2, expect.stringContaining('bad.yaml:3: mcp_integrations a: openapi.')]);
      return text;
    };
    mkdirSync(join(folder, 'directory'));
    symlinkSync('/dev/zero', join(folder, 'endless'));
    writeFileSync(join(folder, 'large.json'), ' '.repeat(5_242_881));
    writeFileSync(join(folder, 'latin.yaml'), Buffer.from('openapi: 3.1.0 # \xe9', 'latin1'));
    expect(await refusalOf('missing.json')).toContain('cannot be opened (ENOENT)');
    expect(await refusalOf('directory')).toContain('no regular file');
    expect(await refusalOf('endless')).toContain('no regular file');
    expect(await refusalOf('large.json')).toContain('more than 5242880 bytes');
    expect(await refusalOf('latin.yaml')).toContain('not in UTF-8');
    expect(await refusalOf('[]')).toContain('must be the name of a file');
    expect(await refusalOf('latin.yaml', ', spec: x')).toContain('cannot be used together with spec');
  });
});
