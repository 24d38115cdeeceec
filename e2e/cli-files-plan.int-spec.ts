import type { IncomingMessage, Server } from 'node:http';
import { TestAdminApi, type Tenant } from '../apps/admin-api/src/spec-support/admin-api';
import { ApiClient } from '../apps/cli/src/api-client';
import { runCli } from '../apps/cli/src/cli';
import { KINDS } from '../apps/cli/src/kinds';
import { exportState, type State } from '../apps/cli/src/reconcile';
import { WRITES } from './spec-support/cli-routes';
import { FULL_FILE, MCP_SERVER } from './spec-support/cli-states';
import { insertTools, withTools } from './spec-support/mcp-tools';

const ENVIRONMENT = new Proxy({}, { get: () => 'secret-0123456789' });

describe('tollgate plan and apply', () => {
  const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  let url = '';
  beforeAll(async () => {
    await admin.api.app.listen(0, '127.0.0.1');
    url = await admin.api.app.getUrl();
  });

  const server = (): Server => admin.api.app.getHttpServer();
  const clientOf = ({ adminKey }: Tenant): ApiClient => new ApiClient(url, adminKey);
  interface Run {
    readonly code: number;
    readonly out: string;
    readonly err: string;
  }
  const run = async (
    tenant: Tenant,
    command: string,
    yaml: string,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<Run> => {
    let [out, err] = ['', ''];
    const output = {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      input: () => Promise.resolve(yaml),
    };
    const env = new Proxy(environment, {
      get: (others, name) => (name === 'TOLLGATE_API_KEY' ? tenant.adminKey : others[String(name)]),
    });
    const args = [...command.split(' '), '-f', '-', '--url', url];
    const code = await runCli(args, env, output, new AbortController().signal);
    return { code, out, err };
  };
  const fileOf = (state: State): string => JSON.stringify({ version: 1, ...state });
  const applied = async (tenant: Tenant, state: State, command = 'apply'): Promise<string> => {
    const { code, err, out } = await run(tenant, command, fileOf(state), ENVIRONMENT);
    expect([code, err]).toEqual([0, '']);
    return out;
  };
  const planned = async (tenant: Tenant, state: State, command = 'plan'): Promise<Run> =>
    run(tenant, command, fileOf(state), ENVIRONMENT);

  /** Returns every row except those of refused attempts. */
  const rows = async (): Promise<Record<string, string>> => {
    const tables = await admin.dataSource.query<{ name: string }[]>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname NOT IN ('audit_logs', 'audit_chains')`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of tables) {
      const [row] = await admin.dataSource.query<{ digest: string }[]>(
        `SELECT count(*) || ':' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS digest FROM "${name}" AS t`,
      );
      digests[name] = row?.digest ?? '';
    }
    return digests;
  };

  const INVALID = [
    'version: 1',
    'workspaces:',
    '  - { slug: fresh, name: Fresh }',
    'labels:',
    '  - { workspace: fresh, name: right }',
    '  - { workspace: nowhere, name: wrong }',
    'integrations:',
    '  - slug: closed',
    '    name: Closed',
    '    ai_provider_id: openai',
    '    key: { env: MISSING_KEY }',
    'configs:',
    '  - workspace: fresh',
    '    slug: wrong',
    '    name: Wrong',
    '    config: { retry: { attempts: 900 } }',
  ].join('\n');

  it.each(['plan', 'apply'])(
    '%s writes nothing when an item is invalid, and reports each location, item and reason',
    async (command) => {
      const tenant = await admin.tenant();
      const before = await rows();
      const { code, err } = await run(tenant, command, INVALID);
      expect(code).toBe(2);
      const lines = err.split('\n').filter((line) => line.startsWith('-:'));
      expect(lines).toEqual([
        '-:8: integrations closed: The environment variable MISSING_KEY is not set; set it to the secret.',
        expect.stringMatching(/^-:13: configs fresh\/wrong: .*The config is not valid.*retry\.attempts/),
        '-:6: labels nowhere/wrong: There is no workspace nowhere; check the slug or add it to workspaces.',
      ]);
      expect(await rows()).toEqual(before);
    },
  );

  it('accepts a whole valid file for an empty organisation, and writes nothing', async () => {
    const tenant = await admin.tenant();
    // The default collection of a workspace is created when it is first read.
    await exportState(clientOf(tenant));
    const before = await rows();
    const yaml = JSON.stringify({ version: 1, ...FULL_FILE });
    const { code, err, out } = await run(tenant, 'plan', yaml, ENVIRONMENT);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('+ configs ');
    expect(await rows()).toEqual(before);
  }, 300_000);

  it('lets the control plane check every route that writes items', async () => {
    const tenant = await admin.tenant();
    const undeclared: string[] = [];
    for (const route of Object.keys(WRITES)) {
      const [method = '', path = ''] = route.split(' ');
      const { body } = await admin.call<{ error?: { param?: string } }>(
        method,
        `${path.replace('{type}/{subType}', 'workspace/service').replaceAll(/\{\w+\}/g, tenant.workspaceId)}?dry_run=true`,
        { key: tenant.adminKey, body: {} },
      );
      if (body.error?.param === 'dry_run') undeclared.push(route);
    }
    expect(undeclared).toEqual([]);
  }, 300_000);

  describe('with an item that needs several writes', () => {
    it('refuse an item if any of its writes is invalid, and write nothing', async () => {
      const tenant = await admin.tenant();
      const guardrails = [TOOLS];
      await applied(tenant, withTools({ guardrails }, await insertTools(admin, tenant)));
      await exportState(clientOf(tenant));
      const before = await rows();
      const { code, err } = await planned(tenant, {
        workspaces: [{ slug: 'fresh', name: 'Fresh', settings: { user_api_key_count: -7 } }],
        guardrails: [{ ...TOOLS, mcp_servers: {}, checks: [{ id: 'default.contains' }, { id: 'no.such' }] }],
      });
      expect(code).toBe(2);
      expect(err).toMatch(/workspaces fresh: PUT .*settings\.user_api_key_count/);
      expect(err).toMatch(/guardrails tools: PUT [^]*checks\.1\.id/);
      expect(await rows()).toEqual(before);
    }, 300_000);

    it('refuse an item whose owner neither exists nor is created', async () => {
      const tenant = await admin.tenant();
      const { code, err } = await planned(tenant, {
        integration_models: [{ integration: 'no', models: [] }],
      });
      expect([code, err]).toEqual([
        2,
        expect.stringContaining('integration_models no: there is no no; add it to the file.'),
      ]);
    });
  });

  it('check each write that apply sends, or report that they cannot', async () => {
    const tenant = await admin.tenant();
    await exportState(clientOf(tenant));
    const full = withTools(FULL_FILE, await insertTools(admin, tenant));
    for (const [state, options] of [
      [full, ''],
      [ALTERED, ' --prune'],
      [EMPTY, ' --prune --force'],
    ] as const) {
      const before = await rows();
      const plan = await traced(server(), () => planned(tenant, state, `plan${options}`));
      expect([plan.result.code, plan.result.err]).toEqual([0, '']);
      expect(await rows()).toEqual(before);
      const checked = new Set(plan.writes);
      const said = plan.result.out.split('\n').filter((line) => line.startsWith('? '));
      // An item that is changed together with its owner, which the run creates, is reported by its
      // kind.
      const owned = said.flatMap((line) => /^\? (?:\S+: )?(\w+) .*: belongs to /.exec(line)?.[1] ?? []);
      const isSaid = (write: string): boolean =>
        said.some((line) => neutral(line).includes(`${write}:`)) ||
        (WRITES[documented(write)] ?? []).some((kind) => owned.includes(kind));
      const { writes } = await traced(server(), () => applied(tenant, state, `apply${options}`));
      const sent = [...new Set(writes.filter((write) => !write.endsWith('?dry_run')))];
      expect(sent.length).toBeGreaterThan(15);
      const unseen = sent.filter((write) => !checked.has(`${write}?dry_run`) && !isSaid(write));
      expect(unseen).toEqual([]);
    }
  }, 300_000);

  it('refuse a slug that was used before', async () => {
    const tenant = await admin.tenant();
    const state = withTools({ guardrails: [TOOLS] }, await insertTools(admin, tenant));
    await applied(tenant, state);
    await applied(tenant, { guardrails: [] }, 'apply --prune');
    const { code, err } = await planned(tenant, state);
    expect([code, err]).toEqual([2, expect.stringContaining('The slug is already used.')]);
  });

  describe('with --prune', () => {
    const USED: State = {
      integrations: [{ slug: 'shared', name: 'Shared', ai_provider_id: 'openai', key: { env: 'KEY' } }],
      integration_access: [{ integration: 'shared', global: { enabled: true } }],
      workspaces: [{ slug: 'team', name: 'Team' }],
      providers: [{ workspace: 'team', slug: 'main', name: 'Main', integration: 'shared' }],
      configs: [{ workspace: 'team', slug: 'base', name: 'Base', config: { provider: '@main' } }],
    };
    const slugs = async (tenant: Tenant, kind: string): Promise<unknown[]> =>
      ((await exportState(clientOf(tenant)))[kind] ?? []).map((item) => item['slug']);

    it.each([
      ['a provider', { providers: [] }, 'providers team/main'],
      ['an integration', { integrations: [] }, 'integrations shared'],
    ])('refuse to delete %s in use, and report its users and the solution', async (_what, state, name) => {
      const tenant = await admin.tenant();
      await applied(tenant, USED);
      const before = await rows();
      for (const command of ['plan --prune', 'apply --prune']) {
        const { code, err } = await planned(tenant, state, command);
        expect(code).toBe(2);
        expect(err).toContain(`${name}: `);
        expect(err).toContain('The config base names it.');
        expect(err).toContain('--force deletes it anyway');
      }
      expect(await rows()).toEqual(before);
      const forced = `- ${name}\n  in use: The config base names it.\n`;
      expect(await applied(tenant, state, 'plan --prune --force')).toBe(forced);
      expect(await rows()).toEqual(before);
      expect(await applied(tenant, state, 'apply --prune --force')).toBe(forced);
      expect(await slugs(tenant, 'providers')).toEqual([]);
      expect(await slugs(tenant, 'configs')).toEqual(['base']);
    });

    it.each([
      ['deletes it', { configs: [] }],
      [
        'takes it out of its users',
        { configs: [{ workspace: 'team', slug: 'base', name: 'Base', config: { retry: { attempts: 2 } } }] },
      ],
    ])('delete an item in use when the same run %s first', async (_what, users) => {
      const tenant = await admin.tenant();
      await applied(tenant, USED);
      const state = { providers: [], ...users };
      const plan = await applied(tenant, state, 'plan --prune');
      expect(plan).toMatch(/^\? providers team\/main: refused in the current state: .*is in use/m);
      await applied(tenant, state, 'apply --prune');
      expect(await slugs(tenant, 'providers')).toEqual([]);
    });

    it('refuse to delete an item in use when the same run changes its users but keeps the reference', async () => {
      const tenant = await admin.tenant();
      await applied(tenant, USED);
      const configs = USED['configs']?.map((config) => ({ ...config, name: 'Other' })) ?? [];
      const { code, err } = await planned(tenant, { providers: [], configs }, 'plan --prune');
      expect([code, err]).toEqual([2, expect.stringContaining('The config base names it.')]);
    });

    it('delete an item without a force option only when its users are gone', async () => {
      const tenant = await admin.tenant();
      const config = { input_guardrails: ['names'] };
      await applied(tenant, {
        guardrails: [{ ...TOOLS, slug: 'names', target: 'llm', mcp_servers: undefined }],
        workspaces: [{ slug: 'team', name: 'Team' }],
        configs: [{ workspace: 'team', slug: 'base', name: 'Base', config }],
      });
      const { code, err } = await planned(tenant, { guardrails: [] }, 'plan --prune --force');
      expect([code, err]).toEqual([2, expect.stringContaining('The config base names it.')]);
      expect(err).not.toContain('--force');
    });
  });

  it('accept --force only with --prune', async () => {
    const { code, err } = await planned(await admin.tenant(), {}, 'plan --force');
    expect([code, err]).toEqual([2, expect.stringContaining('--force needs --prune')]);
  });

  it('know which routes accept force', () => {
    const { paths } = admin.api.document as unknown as {
      paths: Record<string, Record<string, { parameters?: readonly { readonly name: string }[] }>>;
    };
    const forcible = Object.entries(paths)
      .filter(([path, { delete: route }]) => path.startsWith('/v1/') && takes(route, 'force'))
      .flatMap(([path]) => WRITES[`PUT ${path}`] ?? [path]);
    const unforced = forcible.filter((name) => !KINDS.some((kind) => kind.name === name && kind.removeUsed));
    expect(unforced).toEqual([]);
    expect(forcible.length).toBeGreaterThan(2);
  });
});

const takes = (
  route: { readonly parameters?: readonly { readonly name: string }[] } | undefined,
  name: string,
): boolean => (route?.parameters ?? []).some((parameter) => parameter.name === name);

const TOOLS = {
  slug: 'tools',
  name: 'Tools',
  target: 'mcp_tools',
  checks: [{ id: 'default.contains', parameters: { words: ['Hera'], operator: 'none' } }],
  mcp_servers: { [MCP_SERVER]: { run_on: ['beforeToolCall'] } },
};

const OTHER_TEMPLATE = '[{"role":"user","content":"Hi {{q}}"}]';

/** The full file with changes that need several writes, and without some items. */
const ALTERED: State = {
  ...FULL_FILE,
  workspaces: (FULL_FILE['workspaces'] ?? []).map((item) => ({ ...item, description: 'Other' })),
  guardrails: (FULL_FILE['guardrails'] ?? []).map((item) => ({
    ...item,
    name: 'Other',
    ...{ mcp_servers: null, agent_servers: null },
  })),
  // A default config cannot be deleted.
  configs: (FULL_FILE['configs'] ?? []).map((item) => ({ ...item, is_default: false })),
  users: [{ email: 'ada@example.com', role: 'admin' }],
  prompts: (FULL_FILE['prompts'] ?? []).map((item) => ({
    ...item,
    string: OTHER_TEMPLATE,
    labels: { canary: { string: OTHER_TEMPLATE, virtual_key: '@vk' } },
    shared: ['ads'],
  })),
  partials: (FULL_FILE['partials'] ?? []).map((item) => ({ ...item, string: 'Be.', shared: null })),
  alert_webhooks: [],
  deployments: [],
  usage_limit_policies: [],
  rate_limit_policies: (FULL_FILE['rate_limit_policies'] ?? []).map((item) => ({ ...item, value: 7 })),
};

/** A file without any item that can be deleted. */
const EMPTY: State = {
  ...Object.fromEntries(KINDS.filter(({ removable }) => removable).map(({ name }) => [name, []])),
  default_guardrails: [{}],
  workspace_guardrails: [{ workspace: 'search' }],
  user_key_configs: [{ workspace: 'search' }],
  api_keys: (FULL_FILE['api_keys'] ?? []).map(({ defaults: _defaults, ...key }) => key),
};

/** Replaces ids, which differ between runs. */
const neutral = (text: string): string => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|not:made/g, '{id}');

/** Returns the route of the OpenAPI document for a write to the path. */
const documented = (write: string): string =>
  Object.keys(WRITES).find((route) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(write)) ??
  '';

/** Records the writes of a run as the server receives them. */
async function traced<T>(
  server: Server,
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly writes: string[] }> {
  const writes: string[] = [];
  const note = ({ url = '', method = 'GET' }: IncomingMessage): void => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const suffix = searchParams.has('dry_run') ? '?dry_run' : '';
    if (method !== 'GET') writes.push(`${method} ${neutral(pathname)}${suffix}`);
  };
  server.on('request', note);
  try {
    return { result: await run(), writes };
  } finally {
    server.off('request', note);
  }
}
