import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { eventually, startProduct, type Product } from '@gw/testing';

const ENTRY = resolve(__dirname, '..', 'dist', 'cli', 'apps', 'cli', 'src', 'main.js');

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Values of the secrets that the file refers to; none of them may be in it. */
const SECRETS = {
  TOLLGATE_INTEGRATION_OPENAI_MAIN_KEY: 'sk-0123456789-main',
  TOLLGATE_VIRTUAL_KEY_VK_ONE_KEY: 'sk-0123456789-virtual',
  TOLLGATE_SECRET_REFERENCE_VAULTED_VAULT_TOKEN: 'hvs.0123456789',
  TOLLGATE_PLUGIN_PATRONUS_APIKEY: 'plugin-0123456789',
  TOLLGATE_DEPLOYMENT_EU_PASSWORD: 'registry-0123456789',
  TOLLGATE_GUARDRAIL_CALLED_1_HEADERS_X_TOKEN: 'hook-0123456789',
};

describe('command line', () => {
  let product: Product;

  const boot = async (): Promise<void> => {
    product = await startProduct({ environment: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' } });
  };
  beforeAll(boot);
  afterAll(() => product.stop());

  const start = (args: readonly string[], environment: object = SECRETS): ChildProcessWithoutNullStreams =>
    spawn(process.execPath, [ENTRY, ...args], {
      env: {
        PATH: process.env['PATH'],
        TOLLGATE_URL: product.adminUrl,
        TOLLGATE_API_KEY: product.credentials.admin_api_key,
        ...environment,
      },
    });

  function tollgate(args: readonly string[], input = '', environment: object = SECRETS): Promise<Run> {
    const child = start(args, environment);
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.end(input);
    return new Promise((done) => child.on('close', (code) => done({ code, out, err })));
  }

  async function manage<T = { id: string; slug: string }>(
    method: string,
    path: string,
    body: object,
  ): Promise<T> {
    const response = await fetch(`${product.adminUrl}/v1${path}`, {
      method,
      headers: { 'x-gw-api-key': product.credentials.admin_api_key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  async function fill(): Promise<void> {
    await manage('PUT', '/admin/organisation/settings', {
      settings: { debug_log: 0, user_api_key_rotation_period: 'weekly' },
      workspace_overrides: { api_keys: true },
    });
    await manage('POST', '/workspaces', {
      name: 'Search',
      slug: 'search',
      icon: '🔍',
      defaults: { metadata: { team: 'search' } },
      usage_limits: [{ credit_limit: 50, periodic_reset: 'weekly' }],
    });
    await manage('POST', '/secret-references', {
      name: 'Vaulted',
      slug: 'vaulted',
      manager_type: 'vendor3_vault',
      auth_config: {
        vault_auth_type: 'token',
        vault_addr: 'http://127.0.0.1:8200',
        vault_token: SECRETS.TOLLGATE_SECRET_REFERENCE_VAULTED_VAULT_TOKEN,
      },
      secret_path: 'secret/data/openai',
      allowed_workspaces: ['search'],
    });
    const { id } = await manage('POST', '/integrations', {
      name: 'OpenAI main',
      slug: 'openai-main',
      ai_provider_id: 'openai',
      key: SECRETS.TOLLGATE_INTEGRATION_OPENAI_MAIN_KEY,
      configurations: { openai_project: 'p' },
      allow_all_models: false,
      tags: { a: 'b' },
    });
    await manage('PUT', `/integrations/${id}/models`, {
      models: [{ slug: 'gpt-4o' }, { slug: 'own', is_custom: true, custom_headers: { 'x-team': 'a' } }],
    });
    await manage('PUT', `/integrations/${id}/workspaces`, {
      workspaces: [
        { id: 'search', enabled: true, rate_limits: [{ type: 'requests', unit: 'rpm', value: 9 }] },
      ],
      create_default_provider: false,
    });
    await manage('POST', '/integrations', {
      name: 'Mapped',
      slug: 'mapped',
      ai_provider_id: 'openai',
      workspace_id: 'search',
      create_default_provider: false,
      secret_mappings: [{ target_field: 'key', secret_reference_id: 'vaulted', secret_key: 'api_key' }],
    });
    await manage('POST', '/providers', {
      name: 'Main',
      slug: 'main',
      integration_id: 'openai-main',
      workspace_id: 'search',
      expires_at: '2040-01-01T00:00:00.000Z',
    });
    await manage('POST', '/virtual-keys', {
      name: 'VK one',
      slug: 'vk-one',
      provider: 'openai',
      key: SECRETS.TOLLGATE_VIRTUAL_KEY_VK_ONE_KEY,
      workspace_id: 'search',
    });
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@main' }, { virtual_key: 'vk-one' }],
    };
    await manage('POST', '/configs', {
      name: 'Fallback',
      slug: 'fall-back',
      config,
      isDefault: 1,
      workspace_id: 'search',
    });
    await manage('PUT', '/workspaces/search', {
      settings: { user_api_key_rotation_period: '', user_api_key_count: 3 },
      data_plane_security_settings: { block_inline_config: true },
      defaults: { metadata: { team: 'search' }, user_api_key_config: 'fall-back' },
    });
    await manage('POST', '/api-keys/workspace/service', {
      name: 'search-production',
      workspace_id: 'search',
      scopes: ['logs.list', 'completions.write'],
      defaults: { config_id: 'fall-back', metadata: { app: 'x' } },
      rotation_policy: { rotation_period: 'monthly' },
    });
    await manage('POST', '/labels', { name: 'canary', color_code: '#ffaa00' });
    await manage('POST', '/labels', { name: 'plain', workspace_id: 'search' });
    await manage('POST', '/labels', { name: 'reviewed', description: 'By two', workspace_id: 'search' });
    const policy = {
      name: 'Team',
      workspace_id: 'search',
      conditions: [{ key: 'metadata.team', value: ['search', 'ads'], excludes: 'batch' }],
      group_by: [{ key: 'api_key' }],
    };
    await manage('POST', '/policies/usage-limits', {
      ...policy,
      type: 'cost',
      credit_limit: 20,
      alert_threshold: 15,
      periodic_reset_days: 9,
    });
    await manage('POST', '/policies/rate-limits', { ...policy, type: 'tokens', unit: 'rpw', value: 900 });
    await manage('POST', '/deployments', {
      name: 'EU',
      slug: 'eu',
      tags: { region: 'eu' },
      source_type: 'helm',
      credentials: { username: 'puller', password: SECRETS.TOLLGATE_DEPLOYMENT_EU_PASSWORD },
      auth_settings: { workspaces_allowed: ['search'], jwt_sub_workspace_mapping: { sub: 'search' } },
    });
    await manage('POST', '/plugins', {
      plugin_provider_id: 'patronus',
      credentials: { apiKey: SECRETS.TOLLGATE_PLUGIN_PATRONUS_APIKEY },
    });
    await manage('PUT', '/workspace-exclusions/input-guardrails', {
      workspaces: [{ workspace_id: 'search', excluded: true }],
    });
    await manage('PUT', '/admin/organisation/properties', {
      workspace_metadata_schema: {
        type: 'object',
        additionalProperties: true,
        properties: { team: { type: 'string', enum: ['search', 'ads'] } },
      },
    });
  }

  /**
   * Creates guardrails, and prompts that are nested, shared, labelled and drafted; files contain no
   * drafts.
   */
  async function fillTexts(): Promise<void> {
    const parameters = { words: ['Apollo'], operator: 'none' };
    await manage('POST', '/guardrails', {
      name: 'Names',
      slug: 'names',
      checks: [{ id: 'default.contains', parameters }],
      actions: { deny: true },
    });
    await manage('POST', '/guardrails', {
      name: 'Called',
      slug: 'called',
      workspace_id: 'search',
      checks: [
        {
          id: 'default.webhook',
          parameters: {
            webhookURL: 'https://hooks.example.com/a',
            headers: { 'x-token': SECRETS.TOLLGATE_GUARDRAIL_CALLED_1_HEADERS_X_TOKEN },
          },
        },
      ],
    });
    await manage('PUT', '/admin/organisation/defaults', { input_guardrails: ['names'] });
    await manage('PUT', '/workspaces/search', { defaults: { output_guardrails: ['called'] } });

    const workspace_id = 'search';
    await manage('POST', '/collections', { name: 'Support', slug: 'support', workspace_id });
    const inner = { name: 'Refunds', slug: 'refunds', parent_collection_id: 'support', workspace_id };
    await manage('POST', '/collections', inner);
    const partial = { collection_id: 'refunds', workspace_id };
    await manage('POST', '/prompts/partials', { ...partial, name: 'Outer', slug: 'outer', string: 'Old.' });
    await manage('POST', '/prompts/partials', {
      ...partial,
      name: 'Tone',
      slug: 'tone',
      string: 'Be {{tone}}.',
    });
    await manage('PUT', '/prompts/partials/outer', { string: 'First: {{>tone}}', workspace_id });
    await manage('PUT', '/prompts/partials/outer/makeDefault', { version: 2, workspace_id });
    const version = { parameters: { max_tokens: 9 }, model: 'gpt-4o', virtual_key: 'main', workspace_id };
    const text = (content: string): string => JSON.stringify([{ role: 'user', content }]);
    await manage('POST', '/prompts', {
      ...{ ...version, name: 'Reply', slug: 'reply', collection_id: 'support' },
      string: text('{{>outer}} {{question}}'),
      version_description: 'the first',
    });
    const { data: labels } = await read<{ data: { id: string; name: string }[] }>(
      '/labels?workspace_id=search',
    );
    const label = async (versionId: string, name: string): Promise<unknown> =>
      manage('PUT', `/prompts/reply/versions/${versionId}`, {
        label_id: labels.find((one) => one.name === name)?.id,
        workspace_id,
      });
    for (const [content, name] of [
      ['A canary.', 'canary'],
      ['Published.', 'reviewed'],
      ['A draft.', null],
    ] as const) {
      const made = await manage<{ prompt_version_id: string }>('PUT', '/prompts/reply', {
        ...version,
        string: text(content),
      });
      if (name !== null) await label(made.prompt_version_id, name);
    }
    await manage('PUT', '/prompts/reply/makeDefault', { version: 3, workspace_id });
    await manage('POST', '/workspaces', {
      name: 'Ads',
      slug: 'ads',
      defaults: { metadata: { team: 'ads' } },
    });
    await manage('POST', '/prompts/reply/share', {
      access: 'workspaces',
      workspace_ids: ['ads'],
      workspace_id,
    });
    await manage('POST', '/prompts', {
      ...{ ...version, name: 'Plain', slug: 'plain', string: 'Hi', model: null },
      collection_id: await defaultCollection(),
    });
    await manage('POST', '/prompts/plain/share', { access: 'organisation', workspace_id });
  }

  const accept = (link: string): Promise<unknown> =>
    manage('POST', '/invites/accept', { token: link.split('/').at(-1), password: 'correct horse battery' });

  /** Creates a user who has joined, and an invited one. */
  async function fillPeople(): Promise<void> {
    const { invite_link: link } = await manage<{ invite_link: string }>('POST', '/users/invites', {
      email: 'ada@example.com',
      role: 'admin',
      workspaces: [{ id: 'search', role: 'manager' }],
    });
    await accept(link);
    await manage('POST', '/users/invites', {
      email: 'bob@example.com',
      role: 'member',
      workspaces: [
        { id: 'search', role: 'member' },
        { id: 'ads', role: 'admin' },
      ],
    });
  }

  const read = async <T>(path: string): Promise<T> => {
    const headers = { 'x-gw-api-key': product.credentials.admin_api_key };
    return (await (await fetch(`${product.adminUrl}/v1${path}`, { headers })).json()) as T;
  };
  const defaultCollection = async (): Promise<string> => {
    const { data } = await read<{ data: { id: string; is_default: boolean }[] }>(
      '/collections?workspace_id=search',
    );
    return data.find((one) => one.is_default)?.id ?? '';
  };

  it('reproduces the state of one instance on an empty one, and a second apply changes nothing', async () => {
    await fill();
    await fillTexts();
    await fillPeople();
    const exported = await tollgate(['export']);
    expect([exported.code, exported.err]).toEqual([0, '']);
    for (const secret of Object.values(SECRETS)) expect(exported.out).not.toContain(secret);
    for (const name of Object.keys(SECRETS)) expect(exported.out).toContain(`env: ${name}`);
    for (const label of ['canary', 'plain', 'reviewed']) expect(exported.out).toContain(`name: ${label}\n`);
    const unchanged = await tollgate(['apply', '-f', '-'], exported.out);
    expect([unchanged.code, unchanged.out, unchanged.err]).toEqual([0, 'Nothing to change.\n', '']);

    await product.stop();
    await boot();
    const before = (await tollgate(['export'])).out;
    const dry = await tollgate(['apply', '-f', '-', '--dry-run'], exported.out);
    expect([dry.code, dry.err]).toEqual([0, '']);
    expect(dry.out).toContain('+ integrations openai-main\n');
    expect((await tollgate(['export'])).out).toBe(before);
    expect((await tollgate(['diff', '-f', '-'], exported.out)).code).toBe(1);

    const { TOLLGATE_PLUGIN_PATRONUS_APIKEY: _plugin, ...some } = SECRETS;
    const missing = await tollgate(['apply', '-f', '-'], exported.out, some);
    expect(missing.code).toBe(2);
    expect(missing.err).toContain('TOLLGATE_PLUGIN_PATRONUS_APIKEY is not set');

    // Nothing is written before the whole file is valid.
    expect(missing.out).toBe('');
    expect((await tollgate(['export'])).out).toBe(before);

    const applied = await tollgate(['apply', '-f', '-'], exported.out);
    expect([applied.code, applied.err]).toEqual([0, '']);
    // Both are invited here; their items in the file stay the same.
    expect(applied.out.match(/^\+ users .*\n {2}invite_link: \S+$/gm)).toHaveLength(2);
    // Every instance chooses the slug of its default workspace.
    const plain = (text: string): string => text.replaceAll(/ws-shared-\w+/g, 'the-default');
    expect(plain((await tollgate(['export'])).out)).toBe(plain(exported.out));
    const again = await tollgate(['apply', '-f', '-', '--prune'], exported.out);
    expect([again.code, again.out, again.err]).toEqual([0, 'Nothing to change.\n', '']);
    expect((await tollgate(['diff', '-f', '-'], exported.out)).out).toBe('No difference.\n');
  });

  it('changes and deletes what the file changes and omits', async () => {
    const { out } = await tollgate(['export']);
    const changed = out
      .replace('Be {{tone}}.', 'Stay {{tone}}.')
      .replace('Published.', 'Published again.')
      .replace('A canary.', 'Another canary.')
      .replace('- Apollo\n', '- Artemis\n')
      .replace('openai_project: p\n', 'openai_organization: o\n')
      .replace('name: VK one', 'name: VK 1')
      .replace('alert_threshold: 15\n', '\n');
    const applied = await tollgate(['apply', '-f', '-'], changed);
    expect(applied.out).toBe(
      '~ integrations openai-main (configurations)\n~ virtual_keys search/vk-one (name)\n' +
        '~ guardrails names (checks)\n~ partials search/tone (string)\n~ prompts search/reply (string, labels)\n' +
        '~ usage_limit_policies search/Team (alert_threshold)\n',
    );
    expect((await tollgate(['apply', '-f', '-'], changed)).out).toBe('Nothing to change.\n');
    const unlabelled = changed.replace(/ +reviewed: published\n/, '');
    expect((await tollgate(['apply', '-f', '-'], unlabelled)).out).toBe('~ prompts search/reply (labels)\n');
    expect((await tollgate(['diff', '-f', '-'], unlabelled)).out).toBe('No difference.\n');
    await tollgate(['apply', '-f', '-'], changed);
    const without = 'version: 1\nvirtual_keys: []\n';
    expect((await tollgate(['apply', '-f', '-'], without)).out).toBe('Nothing to change.\n');
    expect((await tollgate(['apply', '-f', '-', '--prune', '--dry-run'], without)).out).toContain(
      '- virtual_keys search/vk-one\n',
    );
    // A config still refers to it.
    const refused = await tollgate(['apply', '-f', '-', '--prune'], without);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('names it.')]);
    await tollgate(['apply', '-f', '-'], changed.replace('virtual_key: vk-one', "provider: '@main'"));
    await tollgate(['apply', '-f', '-', '--prune'], without);
    expect((await tollgate(['export'])).out).not.toContain('slug: vk-one');
  });

  it('invites people, changes their roles, and removes them only with --prune', async () => {
    const apply = async (users: string, ...options: string[]): Promise<string> => {
      const { out, err } = await tollgate(['apply', '-f', '-', ...options], `version: 1\nusers:\n${users}`);
      return out + err;
    };
    const eve = (role: string, workspaces: string): string =>
      `  - { email: Eve@Example.com, role: ${role}, workspaces: ${workspaces} }\n`;
    const exported = async (): Promise<string> =>
      /^users:\n(?:[ -].*\n)*/m.exec((await tollgate(['export'])).out)?.[0] ?? '';
    const invited = await apply(eve('member', '{ search: member }'));
    expect(invited).toMatch(/^\+ users eve@example\.com\n {2}invite_link: \S+\n$/);
    expect(await apply(eve('member', '{ search: member }'))).toBe('Nothing to change.\n');

    // A person whose invite differs is invited again.
    const anew = await apply(eve('member', '{ search: manager }'));
    expect(anew).toMatch(/^~ users eve@example\.com \(workspaces\)\n {2}invite_link: \S+\n$/);
    await expect(accept(invited.trim())).rejects.toThrow();
    await accept(anew.trim());
    expect(await apply(eve('member', '{ search: manager }'))).toBe('Nothing to change.\n');
    expect(await exported()).toContain(
      'email: eve@example.com\n    role: member\n    workspaces:\n      search: manager\n',
    );

    expect(await apply(eve('admin', '{ ads: member }'))).toBe('~ users eve@example.com (role, workspaces)\n');
    expect(await exported()).toContain(
      'email: eve@example.com\n    role: admin\n    workspaces:\n      search: manager\n      ads: member\n',
    );
    expect(await apply(eve('admin', '{ ads: member }'))).toBe('Nothing to change.\n');
    expect(await apply(eve('admin', '{ ads: member }'), '--prune')).toBe(
      '~ users eve@example.com (workspaces)\n- users bob@example.com\n- users ada@example.com\n',
    );
    expect(await exported()).not.toContain('search');
    expect(await apply(eve('admin', '{ ads: member }'), '--prune')).toBe('Nothing to change.\n');

    const owner = `  - { email: ${product.credentials.owner_email}, role: member }\n`;
    expect(await apply(owner)).toContain(
      'is an owner, and only an owner can change owners; remove the item from the file.',
    );
  });

  it('creates a key, and prints its requests', async () => {
    const made = await tollgate([
      'keys',
      'create',
      '--name',
      'cli',
      '--scopes',
      'completions.write,logs.list',
      '--workspace',
      product.credentials.workspace_id,
    ]);
    expect(made.out).toMatch(/^[A-Za-z0-9]{32}\n$/);
    const response = await fetch(`${product.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': made.out.trim(),
        'x-gw-provider': '@sandbox',
        'content-type': 'application/json',
        'x-gw-trace-id': 'cli-trace',
      },
      body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(response.status).toBe(200);
    const args = ['logs', 'tail', '--once', '--workspace', product.credentials.workspace_id];
    const tailed = async (): Promise<string | false> => {
      const { out } = await tollgate(args);
      return out.includes('cli-trace') && out;
    };
    const tail = await eventually(tailed, { timeoutMs: 180_000 });
    expect(tail.split('\n').filter((line) => line.includes('cli-trace'))).toHaveLength(1);
  });

  it('ends without an error when nobody reads its output any more', async () => {
    const child = start(['export']);
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(err).toBe('');
  });

  it('ends a tail after Ctrl-C', async () => {
    const child = start(['logs', 'tail']);
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('ends a command that waits for the control plane after Ctrl-C', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const child = start(['export', '--url', `http://127.0.0.1:${String(port)}`]);
    await once(silent, 'request');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    silent.close();
  });

  it('reports an invalid call, an invalid key and an invalid file', async () => {
    expect((await tollgate(['nothing'])).code).toBe(2);
    expect((await tollgate(['export', '--unknown'])).code).toBe(2);
    expect((await tollgate(['--help'])).out).toContain('tollgate apply');
    expect((await tollgate(['export'], '', { TOLLGATE_API_KEY: '' })).code).toBe(2);
    const wrong = await tollgate(['export'], '', { TOLLGATE_API_KEY: 'wrong' });
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('The API key is not known.')]);
    expect((await tollgate(['apply', '-f', '-'], 'version: 2\n')).err).toContain('version: 1');
    expect((await tollgate(['apply', '-f', '-'], 'version: 1\nthings: []\n')).err).toContain('things');
  });
});
