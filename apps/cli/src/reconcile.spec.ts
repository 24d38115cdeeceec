import { StubControlPlane } from './spec-support/stub-control-plane';

const LABELS = '/v1/labels';
const WEBHOOKS = '/v1/alert-webhooks';
const REFERENCES = '/v1/secret-references';
const POLICIES = '/v1/policies/usage-limits';

let plane: StubControlPlane;
beforeEach(async () => {
  plane = await StubControlPlane.start();
});
afterEach(() => {
  plane.stop();
});

const file = (...lines: string[]): string => `${lines.join('\n')}\n`;
const labels = (...items: string[]): string => file('labels:', ...items.map((item) => `  - { ${item} }`));

describe('tollgate diff', () => {
  it('reports no difference if the control plane matches the file', async () => {
    plane.add(LABELS, { name: 'one', description: 'first' });
    expect(await plane.run('diff', labels('name: one, description: first'))).toEqual({
      ...{ code: 0, out: 'No difference.\n', err: '' },
    });
  });

  it('exits with 1, marks an absent item with + and a changed one with ~ and its members', async () => {
    plane.add(LABELS, { name: 'one', description: 'old', color_code: '#fff' });
    const { code, out } = await plane.run('diff', labels('name: one, description: new', 'name: two'));
    expect({ code, out }).toEqual({
      code: 1,
      out: '~ labels one (description, color_code)\n+ labels two\n',
    });
  });

  it('sends no write to the control plane, not even for a check', async () => {
    plane.add(LABELS, { name: 'one' });
    await plane.run('diff --prune', labels('name: two'));
    expect([...plane.writes, ...plane.checks]).toEqual([]);
  });

  it('marks what the file leaves out with - only with --prune', async () => {
    plane.add(LABELS, { name: 'one' });
    plane.add(LABELS, { name: 'two' });
    expect((await plane.run('diff', labels('name: one'))).out).toBe('No difference.\n');
    expect((await plane.run('diff --prune', labels('name: one'))).out).toBe('- labels two\n');
  });

  it('does not prune a kind that the file does not have', async () => {
    plane.add(LABELS, { name: 'one' });
    plane.add(WEBHOOKS, { name: 'pager', url: 'https://pager.test', enabled: true });
    expect((await plane.run('diff --prune', labels('name: one'))).out).toBe('No difference.\n');
  });

  it('treats null like an absent member', async () => {
    plane.add(LABELS, { name: 'one', description: null });
    expect((await plane.run('diff', labels('name: one, color_code: null'))).code).toBe(0);
  });

  it('compares a member that the file leaves out with the default of the server', async () => {
    plane.add(WEBHOOKS, { name: 'pager', url: 'https://pager.test', enabled: true });
    plane.add(WEBHOOKS, { name: 'paused', url: 'https://pager.test', enabled: false });
    const text = file(
      'alert_webhooks:',
      '  - { name: pager, url: "https://pager.test" }',
      '  - { name: paused, url: "https://pager.test" }',
    );
    expect((await plane.run('diff', text)).out).toBe('~ alert_webhooks paused (enabled)\n');
  });

  it('reports no difference for a toolset without members after it was applied', async () => {
    const text = file('mcp_toolsets:', '  - { workspace: main, slug: desk, name: Desk }');
    await plane.run('apply', text);
    expect(await plane.run('diff', text)).toMatchObject({ code: 0, out: 'No difference.\n' });
  });

  it('compares the oldest of several policies with one name', async () => {
    const policy = { name: 'cap', type: 'cost', workspace_id: 'ws-main', enforcement: 'standard' };
    plane.add(POLICIES, { ...policy, credit_limit: 10, on_outage: 'hold' });
    plane.add(POLICIES, { ...policy, credit_limit: 20, on_outage: 'hold' });
    const text = file(
      'usage_limit_policies:',
      '  - { workspace: main, name: cap, type: cost, credit_limit: 10 }',
    );
    expect((await plane.run('diff', text)).out).toBe('No difference.\n');
  });

  it('distinguishes items of one name by their workspaces', async () => {
    plane.add(LABELS, { name: 'one', workspace_id: 'ws-main' });
    const { out } = await plane.run('diff --prune', labels('name: one'));
    expect(out).toBe('+ labels one\n- labels main/one\n');
  });

  it('treats the default workspace as the same under another slug', async () => {
    const text = file(
      'workspaces:',
      '  - { slug: home, name: Main, is_default: true }',
      'labels:',
      '  - { workspace: home, name: one }',
    );
    plane.add(LABELS, { name: 'one', workspace_id: 'ws-main' });
    expect(await plane.run('diff', text)).toMatchObject({ code: 0, out: 'No difference.\n' });
  });
});

describe('tollgate apply', () => {
  it('creates items of a new workspace after it, regardless of the order in the file', async () => {
    const text = file(
      'labels:',
      '  - { workspace: search, name: one }',
      'workspaces:',
      '  - { slug: search, name: Search }',
    );
    expect(await plane.run('apply', text)).toMatchObject({ code: 0 });
    expect(plane.written).toEqual(['POST /v1/workspaces', 'POST /v1/labels']);
    const [workspace] = plane.rowsOf('/v1/workspaces').slice(-1);
    expect(plane.rowsOf(LABELS)).toMatchObject([{ name: 'one', workspace_id: workspace?.['id'] }]);
  });

  it('clears the members that the file leaves out', async () => {
    const { id } = plane.add(LABELS, { name: 'one', description: 'old', color_code: '#fff' });
    await plane.run('apply', labels('name: one, color_code: "#fff"'));
    expect(plane.writes).toEqual([
      {
        line: `PUT /v1/labels/${String(id)}`,
        body: { name: 'one', description: null, color_code: '#fff' },
      },
    ]);
  });

  it('clears the reset date of a policy that the file leaves out, but keeps one of a period', async () => {
    const policy = { type: 'cost', credit_limit: 5, enforcement: 'standard', on_outage: 'hold' };
    const date = { next_usage_reset_at: '2099-01-01T00:00:00.000Z', workspace_id: 'ws-main' };
    plane.add(POLICIES, { ...policy, ...date, name: 'once' });
    plane.add(POLICIES, { ...policy, ...date, name: 'weekly', periodic_reset: 'weekly' });
    const text = file(
      'usage_limit_policies:',
      '  - { workspace: main, name: once, type: cost, credit_limit: 5 }',
      '  - { workspace: main, name: weekly, type: cost, credit_limit: 6, periodic_reset: weekly }',
    );
    await plane.run('apply', text);
    const [once, weekly] = plane.writes;
    expect(once?.body).toMatchObject({ next_usage_reset_at: null });
    expect(weekly?.body).not.toHaveProperty('next_usage_reset_at');
  });

  it('changes nothing when it runs a second time', async () => {
    const text = labels('name: one, description: first', 'workspace: main, name: two');
    await plane.run('apply', text);
    const writes = plane.writes.length;
    expect(await plane.run('apply --prune', text)).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
    expect(plane.writes).toHaveLength(writes);
  });

  it('deletes after all other writes, and the last kind first', async () => {
    const label = plane.add(LABELS, { name: 'old' });
    const webhook = plane.add(WEBHOOKS, { name: 'old', url: 'https://old.test', enabled: true });
    const text = `${labels('name: new')}alert_webhooks: []\n`;
    await plane.run('apply --prune', text);
    expect(plane.written).toEqual([
      'POST /v1/labels',
      `DELETE /v1/alert-webhooks/${String(webhook['id'])}`,
      `DELETE /v1/labels/${String(label['id'])}`,
    ]);
  });

  it('writes nothing when the control plane refuses one of the writes, and names every problem with its line', async () => {
    plane.refuse('POST /v1/alert-webhooks', 400, {
      ...{ message: 'url must be https.', param: 'url' },
    });
    const { id } = plane.add(LABELS, { name: 'one' });
    plane.refuse(`PUT /v1/labels/${String(id)}`, 400, { message: 'color_code is no color.' });
    const text = `${labels('name: one, color_code: pale', 'name: two')}alert_webhooks:\n  - { name: a, url: "http://a" }\n`;
    const { code, err } = await plane.run('apply', text);
    expect(code).toBe(2);
    expect(plane.writes).toEqual([]);
    expect(err).toContain('nothing was changed');
    expect(err).toContain(`-:3: labels one: PUT /v1/labels/${String(id)}: color_code is no color.`);
    expect(err).toContain('-:6: alert_webhooks a: POST /v1/alert-webhooks: url must be https.');
  });

  it('names the item of a write that fails although its check passed, and exits with 3', async () => {
    plane.refuse('POST /v1/labels', 500, { message: 'out of order' }, { onlyWrite: true });
    const { code, err } = await plane.run('apply', labels('name: one'));
    expect(code).toBe(3);
    expect(err).toContain('labels one: POST /v1/labels: out of order');
  });

  it('prints a secret that the control plane shows once under its item', async () => {
    const { out } = await plane.run(
      'apply',
      file('alert_webhooks:', '  - { name: pager, url: "https://pager.test" }'),
    );
    expect(out).toBe('+ alert_webhooks pager\n  secret: shown-once\n');
  });

  it('refuses to change a fixed member', async () => {
    plane.add(POLICIES, { name: 'cap', type: 'cost', credit_limit: 1, workspace_id: 'ws-main' });
    const text = file(
      'usage_limit_policies:',
      '  - { workspace: main, name: cap, type: tokens, credit_limit: 1 }',
    );
    const { code, err } = await plane.run('apply', text);
    expect({ code, writes: plane.writes }).toEqual({ code: 2, writes: [] });
    expect(err).toContain('usage_limit_policies main/cap: type cannot be changed');
  });

  it('refuses a duplicate item', async () => {
    expect(await plane.run('apply', labels('name: one', 'name: one'))).toMatchObject({
      code: 2,
      err: 'tollgate: labels: one is in the file twice; remove one of them.\n',
    });
  });

  it.each([
    ['a kind that is unknown', 'gadgets: []\n', 'gadgets'],
    ['a kind that is no list', 'labels: { name: one }\n', "The file's labels must be a list of objects."],
    ['a workspace that is unknown', labels('workspace: gone, name: one'), 'There is no workspace gone'],
  ])('refuses %s before it writes', async (_case, text, message) => {
    const { code, err } = await plane.run('apply', text);
    expect({ code, writes: plane.writes }).toEqual({ code: 2, writes: [] });
    expect(err).toContain(message);
  });

  it('refuses --force without --prune, because it concerns only deletions', async () => {
    const { code, err } = await plane.run('apply --force', labels('name: one'));
    expect(code).toBe(2);
    expect(err).toContain('--force needs --prune');
  });

  it('refuses to delete an item in use and names the use, and deletes it with --force', async () => {
    const { id } = plane.add(LABELS, { name: 'old' });
    const line = `DELETE /v1/labels/${String(id)}`;
    const details = [{ path: 'prompts.greeting', message: 'the prompt greeting has it' }];
    plane.refuse(line, 409, { message: 'The label is in use.', details });

    const refused = await plane.run('apply --prune', 'labels: []\n');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toMatch(/the prompt greeting has it\n +--force deletes it anyway/);

    const forced = await plane.run('apply --prune --force', 'labels: []\n');
    expect(forced).toMatchObject({
      ...{ code: 0, out: '- labels old\n  in use: the prompt greeting has it\n' },
    });
    expect(plane.written).toEqual([`${line}?force=true`]);
  });
});

describe('tollgate apply with secrets', () => {
  const REFERENCE = { slug: 'vault', manager_type: 'hashicorp', name: 'Vault', allowed_workspaces: [] };
  const reference = (name: string, token = '{ env: VAULT_TOKEN }'): string =>
    file(
      'secret_references:',
      `  - { slug: vault, manager_type: hashicorp, name: ${name}, auth_config: { token: ${token} } }`,
    );

  it('sends the value of the environment variable that the file names', async () => {
    await plane.run('apply', reference('Vault'), { VAULT_TOKEN: 's3cret' });
    expect(plane.writes).toMatchObject([{ body: { auth_config: { token: 's3cret' } } }]);
  });

  it('names the variable that a new item needs and the environment lacks, and writes nothing', async () => {
    const { code, err } = await plane.run('apply', reference('Vault'));
    expect({ code, writes: plane.writes }).toEqual({ code: 2, writes: [] });
    expect(err).toContain('The environment variable VAULT_TOKEN is not set');
  });

  it('keeps the saved secret when another member changes and the variable is not set', async () => {
    plane.add(REFERENCES, { ...REFERENCE, auth_config: { masked_token: 's3***' } });
    const { out } = await plane.run('apply', reference('Safe'));
    expect(out).toBe('~ secret_references vault (name)\n');
    expect(plane.writes).toMatchObject([{ body: { name: 'Safe', auth_config: {} } }]);
    expect(plane.writes[0]?.body['auth_config']).toEqual({});
  });

  it('writes the secret of an unchanged item only with --secrets, because it cannot see whether it differs', async () => {
    plane.add(REFERENCES, { ...REFERENCE, auth_config: { masked_token: 's3***' } });
    const variables = { VAULT_TOKEN: 'rotated' };
    expect((await plane.run('apply', reference('Vault'), variables)).out).toBe('Nothing to change.\n');
    await plane.run('apply --secrets', reference('Vault'), variables);
    expect(plane.writes).toMatchObject([{ body: { auth_config: { token: 'rotated' } } }]);
  });

  it('sends and compares content that has the form of a secret, where the member is no secret', async () => {
    const variables = { VAULT_TOKEN: 's3cret' };
    const text = file(
      'users:',
      '  - { email: ada@example.com, role: member, workspaces: { env: member } }',
      'workspaces:',
      '  - { slug: env, name: Env, metadata: { env: VAULT_TOKEN } }',
      'mcp_integrations:',
      '  - slug: tickets',
      '    name: Tickets',
      '    url: https://mcp.example.com',
      '    auth_type: headers',
      '    configurations: { headers: { env: literal }, sampling: { model: { env: VAULT_TOKEN } } }',
      'configs:',
      '  - { workspace: main, slug: base, name: Base, config: { headers: { env: VAULT_TOKEN, x: null } } }',
    );
    expect(await plane.run('apply', text, variables)).toMatchObject({ code: 0, err: '' });
    const bodyOf = (line: string): unknown => plane.writes.find((write) => write.line === line)?.body;
    expect(bodyOf('POST /v1/workspaces')).toMatchObject({ defaults: { metadata: { env: 'VAULT_TOKEN' } } });
    expect(bodyOf('POST /v1/users/invites')).toMatchObject({ workspaces: [{ role: 'member' }] });
    expect(bodyOf('POST /v1/mcp-integrations')).toMatchObject({
      configurations: { headers: { env: 'literal' }, sampling: { model: { env: 'VAULT_TOKEN' } } },
    });
    expect(bodyOf('POST /v1/configs')).toMatchObject({
      config: { headers: { env: 'VAULT_TOKEN', x: null } },
    });
  });

  it('reports changed content that has the form of a secret', async () => {
    const workspace = (team: string): string =>
      file('workspaces:', `  - { slug: main, name: Main, is_default: true, metadata: { env: ${team} } }`);
    Object.assign(plane.rowsOf('/v1/workspaces')[0] ?? {}, { defaults: { metadata: { env: 'one' } } });
    expect((await plane.run('diff', workspace('one'))).out).toBe('No difference.\n');
    expect((await plane.run('diff', workspace('two'))).out).toBe('~ workspaces (default) (metadata)\n');
  });

  it('reads a header of the name env as a header', async () => {
    const text = file(
      'guardrails:',
      '  - slug: called',
      '    name: Called',
      '    checks:',
      '      - id: default.webhook',
      '        parameters: { webhookURL: "https://a.test", headers: { env: { env: VAULT_TOKEN } } }',
    );
    await plane.run('apply', text, { VAULT_TOKEN: 's3cret' });
    expect(plane.writes).toMatchObject([
      { body: { checks: [{ parameters: { headers: { env: 's3cret' } } }] } },
    ]);
  });

  it('reports no difference for a literal secret in the file', async () => {
    plane.add(REFERENCES, { ...REFERENCE, auth_config: { masked_token: 's3***' } });
    expect((await plane.run('diff', reference('Vault', 'plain-text'))).code).toBe(0);
  });
});

describe('tollgate plan', () => {
  it('lets the control plane check every write and executes none', async () => {
    plane.add(LABELS, { name: 'old' });
    const { code, out } = await plane.run('plan --prune', labels('name: new'));
    expect({ code, out }).toEqual({ code: 0, out: '+ labels new\n- labels old\n' });
    expect(plane.checks).toHaveLength(2);
    expect(plane.writes).toEqual([]);
  });

  it('marks a conflict with ? that a workspace of the same file may resolve', async () => {
    plane.refuse('POST /v1/labels', 409, { message: 'There is such a label.' });
    const text = `workspaces:\n  - { slug: search, name: Search }\n${labels('workspace: search, name: one')}`;
    const { code, out } = await plane.run('plan', text);
    expect(code).toBe(0);
    expect(out).toContain('? -:5: labels search/one: refused in the current state');
  });
});

describe('tollgate export', () => {
  it('writes a file in which diff finds no difference, with names of variables instead of secrets', async () => {
    plane.add(LABELS, { name: 'one', workspace_id: 'ws-main', description: 'first' });
    plane.add(REFERENCES, {
      ...{ slug: 'vault', manager_type: 'hashicorp', name: 'Vault', allowed_workspaces: ['ws-main'] },
      auth_config: { masked_token: 's3***' },
    });
    const { out } = await plane.run('export');
    expect(out).toContain('env: TOLLGATE_SECRET_REFERENCE_VAULT_TOKEN');
    const same = await plane.run('diff --prune', out.replace('version: 1\n', ''));
    expect(same).toMatchObject({ code: 0, out: 'No difference.\n' });
  });

  it('reads every page of a list and writes the oldest first', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `label-${String(index)}`);
    for (const name of names) plane.add(LABELS, { name });
    const { out } = await plane.run('export');
    expect([...out.matchAll(/name: (label-\d+)/g)].map(([, name]) => name)).toEqual(names);
  });
});

describe('expired service keys', () => {
  const KEYS = '/v1/api-keys';
  const add = (name: string, status: string, expiresAt: string | null): string =>
    String(
      plane.add(KEYS, {
        ...{ type: 'workspace-service', workspace_id: 'ws-main', name, scopes: ['logs.list'], status },
        expires_at: expiresAt,
      })['id'],
    );
  const key = (expiresAt: string): string =>
    file(
      'api_keys:',
      `  - { type: workspace-service, workspace: main, name: ci, scopes: [logs.list], expires_at: ${expiresAt} }`,
    );

  it('match items of the file, and are extended instead of created again', async () => {
    const id = add('ci', 'expired', '2026-01-01T00:00:00.000Z');
    expect((await plane.run('diff', key('"2026-01-01T00:00:00.000Z"'))).out).toBe('No difference.\n');
    await plane.run('apply', key('"2099-01-01T00:00:00.000Z"'));
    expect(plane.written).toEqual([`PUT ${KEYS}/${id}`]);
  });

  it('are ignored if an unexpired key has the same name', async () => {
    add('ci', 'expired', '2026-01-01T00:00:00.000Z');
    const live = add('ci', 'active', null);
    await plane.run('apply', key('"2099-01-01T00:00:00.000Z"'));
    expect(plane.written).toEqual([`PUT ${KEYS}/${live}`]);
  });

  it('are not exported, because the server would refuse to create them', async () => {
    add('old', 'expired', '2026-01-01T00:00:00.000Z');
    add('ci', 'active', null);
    const { out } = await plane.run('export');
    expect(out).toContain('name: ci');
    expect(out).not.toContain('name: old');
  });
});
