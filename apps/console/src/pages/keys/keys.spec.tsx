import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { MEMBER_PERMISSIONS, MEMBER_SELF, OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../spec-support/render-console';
import { withElementSize } from '../../ui/spec-support/layout';
import type { ApiKey } from './key-types';

const [WORKSPACE] = OWNER_SELF.workspaces;
const AT = '2026-11-23T14:00:00.000Z';
const KEY: ApiKey = {
  object: 'api-key',
  id: 'k1',
  etag: '"7"',
  name: 'search-prod',
  description: null,
  key: 'tg*****3Ax',
  type: 'workspace-service',
  status: 'active',
  scopes: ['completions.write'],
  organisation_id: 'o1',
  workspace_id: WORKSPACE?.id ?? '',
  user_id: null,
  usage_limits: {
    type: 'cost',
    credit_limit: 500,
    alert_threshold: 400,
    periodic_reset: 'monthly',
    periodic_reset_days: null,
    next_usage_reset_at: '2026-12-01T00:00:00.000Z',
    status: 'active',
    current_usage: 12.5,
    enforcement: 'standard',
    on_outage: 'hold',
    metadata: null,
  },
  rate_limits: [{ type: 'requests', unit: 'rpm', value: 600 }],
  rotation_policy: null,
  defaults: { config_id: null, metadata: null, allow_config_override: true },
  api_key_defaults_id: null,
  allow_config_override: 1,
  mcp: null,
  alert_emails: null,
  creation_mode: 'ui',
  expires_at: null,
  expiry_enforced: 0,
  created_at: AT,
  last_updated_at: AT,
  last_reset_at: null,
  next_usage_reset_at: null,
  reset_usage: null,
};
const listOf = (...data: readonly unknown[]) => ({ object: 'list', total: data.length, data });
const BASE_ANSWERS: Answers = {
  'GET /v1/configs': listOf(),
  'GET /v1/analytics/groups/api_key': listOf({
    object: 'analytics-group',
    group_key: 'k1',
    requests: 12,
    last_seen: AT,
  }),
  'GET /v1/analytics/groups/model': listOf(),
};

describe('list of API keys', () => {
  const user = userEvent.setup();
  let undo: () => void;
  beforeAll(() => {
    undo = withElementSize(1200, 600);
  });
  afterAll(() => undo());

  it('requests the text, status and order of its address from the server', async () => {
    const { requests, unanswered } = renderConsole('/w/search/keys?q=prod&f=status:active&sort=-name', {
      ...BASE_ANSWERS,
      'GET /v1/api-keys': listOf(KEY),
    });
    await screen.findByRole('link', { name: 'search-prod' });
    const [sent = ''] = requests.filter((request) => request.startsWith('GET /v1/api-keys'));
    const query = new URLSearchParams(sent.split('?')[1]);
    expect(Object.fromEntries(query)).toMatchObject({
      workspace_id: WORKSPACE?.id,
      search: 'prod',
      status: 'active',
      sort: 'name',
      order: 'desc',
    });
    screen.getByText('tg*****3Ax');
    screen.getByText('$12.50 of $500.00 a month');
    expect(unanswered).toEqual([]);
  });

  it('calls a key unused only when its use is known', async () => {
    let respond = (): void => undefined;
    renderConsole('/w/search/keys', {
      ...BASE_ANSWERS,
      'GET /v1/api-keys': listOf(KEY, { ...KEY, id: 'k2', name: 'batch' }),
      'GET /v1/analytics/groups/api_key': () =>
        new Promise((resolve) => {
          respond = () => resolve(Response.json(BASE_ANSWERS['GET /v1/analytics/groups/api_key']));
        }),
    });
    await screen.findByRole('link', { name: 'batch' });
    expect(screen.queryByText('not in 30 days')).toBeNull();
    respond();
    const unused = await screen.findByText('not in 30 days');
    expect(unused.closest('[role=row]')?.textContent).toContain('batch');
  });

  it('explains whether it is empty because of the filters or because there are no keys', async () => {
    const first = renderConsole('/w/search/keys', { ...BASE_ANSWERS, 'GET /v1/api-keys': listOf() });
    await screen.findByText('There are no keys yet');
    first.unmount();
    const { address } = renderConsole('/w/search/keys?q=nope', {
      ...BASE_ANSWERS,
      'GET /v1/api-keys': listOf(),
    });
    await screen.findByText('No key matches');
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(address()).toBe('/w/search/keys'));
  });

  it('shows an error with its request id, and the name of a missing scope', async () => {
    const failing = () => problemResponse(400, 'validation_failed', 'No such order.');
    const first = renderConsole('/w/search/keys', { 'GET /v1/api-keys': failing });
    await screen.findByText('No such order.');
    screen.getByText('r-1');
    first.unmount();
    renderConsole('/w/search/keys', {
      'GET /v1/auth/self': MEMBER_SELF,
      'GET /v1/auth/permissions': MEMBER_PERMISSIONS,
      'GET /v1/api-keys': () =>
        problemResponse(403, 'scope_missing', 'It lacks workspace_user_api_keys.list.'),
    });
    await screen.findByText(/It lacks workspace_user_api_keys.list/);
  });
});

describe('page of an API key', () => {
  const user = userEvent.setup();
  /** Bodies of the saves. */
  const puts: unknown[] = [];
  let saved = KEY;
  let version = 7;
  const answers: Answers = {
    ...BASE_ANSWERS,
    'GET /v1/api-keys': listOf(KEY),
    'GET /v1/api-keys/k1': () => Response.json(saved, { headers: { etag: `"${String(version)}"` } }),
    'PUT /v1/api-keys/k1': async (request: Request) => {
      if (request.headers.get('if-match') !== `"${String(version)}"`)
        return problemResponse(412, 'etag_mismatch', 'It was changed.');
      const body = (await request.json()) as Partial<ApiKey>;
      puts.push(body);
      saved = { ...saved, ...body };
      version += 1;
      return Response.json({});
    },
  };
  const press = async (name: string): Promise<void> =>
    user.click(await screen.findByRole('button', { name }));
  const enter = async (name: string, text: string): Promise<void> => {
    const field = await screen.findByRole('textbox', { name });
    await user.clear(field);
    await user.click(field);
    await user.paste(text);
  };

  beforeEach(() => {
    puts.length = 0;
    saved = KEY;
    version = 7;
    sessionStorage.clear();
  });

  it('sends only changed members, and never a masked secret', async () => {
    renderConsole('/w/search/keys/k1?tab=edit', answers);
    await enter('Description', 'Of the search service');
    await press('Save 1 change');
    await waitFor(() => expect(puts).toEqual([{ description: 'Of the search service' }]));
    await enter('Amount', '600');
    await press('Save 1 change');
    await waitFor(() => expect(puts).toHaveLength(2));
    const { status: _status, current_usage: _usage, ...budget } = KEY.usage_limits ?? {};
    expect(puts[1]).toEqual({ usage_limits: { ...budget, credit_limit: 600 } });
    expect(JSON.stringify(puts)).not.toContain('*****');
    await press('Undo');
    await waitFor(() => expect(saved.usage_limits?.credit_limit).toBe(500));
  });

  it('saves with Ctrl S from a field, and writes nothing without a change', async () => {
    renderConsole('/w/search/keys/k1?tab=edit', answers);
    await screen.findByRole('textbox', { name: 'Description' });
    await user.keyboard('{Control>}s{/Control}');
    await enter('Description', 'By keyboard');
    await user.keyboard('{Control>}s{/Control}');
    await screen.findByText('Saved.');
    expect(puts).toEqual([{ description: 'By keyboard' }]);
  });

  it('clears the next reset when the reset schedule changes', async () => {
    renderConsole('/w/search/keys/k1?tab=edit', answers);
    await user.click(await screen.findByRole('combobox', { name: 'Starts again' }));
    await user.click(await screen.findByRole('option', { name: 'every Monday' }));
    await user.click(screen.getByRole('button', { name: /^Save/ }));
    await waitFor(() =>
      expect(puts).toMatchObject([
        { usage_limits: { periodic_reset: 'weekly', next_usage_reset_at: null, credit_limit: 500 } },
      ]),
    );
  });

  it('merges what others saved, and asks only about members that both changed', async () => {
    renderConsole('/w/search/keys/k1?tab=edit', answers);
    await enter('Description', 'mine');
    saved = { ...saved, name: 'search-main' };
    version += 1;
    await press('Save 1 change');
    await waitFor(() => expect(puts).toEqual([{ description: 'mine' }]));
    expect(screen.queryByRole('dialog')).toBeNull();
    await enter('Description', 'mine again');
    saved = { ...saved, description: 'theirs' };
    version += 1;
    await press('Save 1 change');
    const dialog = await screen.findByRole('dialog', { name: /was changed while you edited it/ });
    within(dialog).getByText('theirs', { selector: 'td' });
    await user.click(within(dialog).getByRole('button', { name: 'Save 1 field' }));
    await waitFor(() => expect(saved.description).toBe('mine again'));
    await screen.findByText('Saved.');
  });

  it('shows the rest of own and shared limits, and why requests were refused', async () => {
    const AT_MINUTE = '2026-11-23T13:59:00.000Z';
    const conditions = (value: string) => [{ key: 'api_key', value }];
    const policy = (id: string, value: string) => ({
      ...{ object: 'policy_usage_limits', id, name: `per key, ${id}`, conditions: conditions(value) },
      ...{ type: 'cost', credit_limit: 100, alert_threshold: null, periodic_reset: 'weekly' },
      ...{ periodic_reset_days: null, next_usage_reset_at: null, group_by: [{ key: 'api_key' }] },
    });
    const denied = (error_type: string) => ({ id: error_type, error_type, created_at: AT });
    const { requests } = renderConsole('/w/search/keys/k1', {
      ...answers,
      'GET /v1/analytics/graphs/requests': {
        object: 'analytics-graph',
        data_points: [
          { timestamp: AT, total: 12 },
          { timestamp: AT_MINUTE, total: 240 },
        ],
      },
      [`GET /v1/admin/workspaces/${WORKSPACE?.id ?? ''}`]: {
        ...{ usage_limits: [{ ...KEY.usage_limits, credit_limit: 4000, current_usage: 1000 }] },
        rate_limits: null,
      },
      'GET /v1/policies/usage-limits': listOf(policy('ours', 'k1'), policy('theirs', 'k2')),
      'GET /v1/policies/rate-limits': listOf(),
      'GET /v1/policies/usage-limits/ours/entities': listOf({ value_key: 'api_key:k1', current_usage: 33 }),
      'GET /v1/logs': {
        ...listOf(denied('rate_limit_exceeded'), denied('guardrail_denied'), denied('rate_limit_exceeded')),
        next_cursor: null,
      },
    });
    const headroom = await screen.findByRole('region', { name: 'Headroom' });
    within(headroom).getByText('$487.50 left');
    await within(headroom).findByText('360 left');
    within(headroom).getByText('240 of 600');
    within(headroom).getByText(/in its busiest minute of the last hour/);
    await within(headroom).findByText('$1,000.00 of $4,000.00 a month');
    await within(headroom).findByText('$33.00 of $100.00 a week');
    expect(within(headroom).queryByText(/theirs/)).toBeNull();
    const refused = screen.getByRole('region', { name: 'Why was it refused?' });
    const rows = await within(refused).findAllByRole('row');
    expect(rows.slice(1).map((row) => row.textContent)).toEqual([
      expect.stringMatching(/^rate_limit_exceeded2/),
      expect.stringMatching(/^guardrail_denied1/),
    ]);
    expect(within(refused).getByRole('link', { name: 'guardrail_denied' }).getAttribute('href')).toBe(
      '/w/search/logs?t=30d&f=key:k1&f=outcome:denied&f=error:guardrail_denied',
    );
    const [graph = ''] = requests.filter((request) => request.includes('/graphs/requests'));
    const range = new URLSearchParams(graph.split('?')[1]);
    const from = Date.parse(range.get('time_of_generation_min') ?? '');
    expect(Date.parse(range.get('time_of_generation_max') ?? '') - from).toBe(3_600_000);
  });

  const RECORD = {
    ...{ id: 'a1', timestamp: AT, method: 'PUT', uri: '/v1/api-keys/k1', request_id: 'req-1' },
    ...{ user_id: OWNER_SELF.id, user_type: 'user', organisation_id: 'o1', workspace_id: WORKSPACE?.id },
    ...{ response_status_code: 200, error_type: null, resource_type: 'api_keys', resource_id: 'k1' },
    ...{ action: 'update', client_ip: '192.0.2.7', user_agent: 'curl/8', sequence: 42 },
    ...{ previous_hash: 'aa', hash: 'bb' },
    before: { name: 'search-prod', usage_limits: { credit_limit: 400 } },
    after: { name: 'search-prod', usage_limits: { credit_limit: 500 } },
  };

  it('continues the history before its newest record, whatever the clock of this machine says', async () => {
    const sent: URLSearchParams[] = [];
    renderConsole('/w/search/keys/k1?tab=history', {
      ...answers,
      'GET /v1/audit-logs': (request: Request) => {
        sent.push(new URL(request.url).searchParams);
        const records = [{ ...RECORD, id: `a${String(sent.length)}` }];
        return Response.json({ object: 'list', total: 101, records });
      },
      'GET /v1/admin/users': listOf(),
    });
    await user.click(await screen.findByRole('button', { name: 'Show more' }));
    await waitFor(() => expect(screen.getAllByText(/^raised the budget/)).toHaveLength(2));
    expect(sent.map((query) => [query.get('current_page'), query.get('end_time')])).toEqual([
      ['0', null],
      ['1', AT],
    ]);
  });

  it('shows the history to callers who may read the audit log', async () => {
    const records = { object: 'list', total: 1, records: [RECORD] };
    const first = renderConsole('/w/search/keys/k1?tab=history', {
      ...answers,
      'GET /v1/audit-logs': records,
      'GET /v1/admin/users': listOf(),
    });
    await screen.findByText('raised the budget of search-prod from $400.00 to $500.00');
    screen.getByText(/from 192.0.2.7/);
    expect(first.requests.find((request) => request.startsWith('GET /v1/audit-logs'))).toContain(
      'resource_type=api_keys&resource_id=k1',
    );
    first.unmount();
    renderConsole('/w/search/keys/k1?tab=history', {
      ...answers,
      'GET /v1/auth/self': MEMBER_SELF,
      'GET /v1/auth/permissions': MEMBER_PERMISSIONS,
    });
    expect((await screen.findAllByText(/audit_logs.list/)).length).toBeGreaterThan(0);
  });

  it('rotates the secret with immediate end of the old one, and drops the new one on close', async () => {
    const rotations: unknown[] = [];
    const rotate = async (request: Request) => {
      rotations.push(await request.json());
      return Response.json({
        id: 'k1',
        key: `tg-secret-${String(rotations.length)}`,
        key_transition_expires_at: null,
      });
    };
    renderConsole('/w/search/keys/k1', {
      ...answers,
      'POST /v1/api-keys/k1/rotate': rotate,
      'GET /v1/logs': {
        ...listOf({ id: 'l1', response_status_code: 200, created_at: AT }),
        next_cursor: null,
      },
      'GET /v1/providers/models': listOf(),
    });
    await press('Rotate');
    await press('End the old one now');
    await screen.findByRole('dialog', { name: /shown once/ });
    screen.getByText('The old secret no longer works.');
    // Its log has requests with the old secret only.
    expect(screen.queryByText(/first request/)).toBeNull();
    expect(rotations).toEqual([{ revoke_previous: true }]);
    await user.click(screen.getByRole('checkbox', { name: 'I have put it where it belongs' }));
    await press('Close');
    await waitFor(() => expect(document.body.innerHTML).not.toContain('tg-secret'));
  });

  it('does not rotate for the former number of hours when their field is empty', async () => {
    const { requests } = renderConsole('/w/search/keys/k1', {
      ...answers,
      'POST /v1/api-keys/k1/rotate': { id: 'k1', key: 'tg-secret', key_transition_expires_at: null },
    });
    await press('Rotate');
    const dialog = await screen.findByRole('dialog', { name: /Rotate/ });
    const hours = within(dialog).getByRole<HTMLInputElement>('textbox', { name: /^Both secrets work for/ });
    await user.clear(hours);
    await user.click(within(dialog).getByRole('button', { name: 'Rotate' }));
    expect(hours.validity.valueMissing).toBe(true);
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it('does not show the secret of one key over the page of another', async () => {
    const other = { ...KEY, id: 'k2', name: 'batch' };
    const { address, queries } = renderConsole('/w/search/keys/k1', {
      ...answers,
      'POST /v1/api-keys/k1/rotate': { id: 'k1', key: 'tg-secret', key_transition_expires_at: null },
      'GET /v1/api-keys': listOf(other),
      'GET /v1/api-keys/k2': other,
    });
    queries.setQueryData(['apiKeys_get', { path: { id: 'k2' } }], other);
    await press('Rotate');
    await press('End the old one now');
    await screen.findByRole('dialog', { name: /shown once/ });
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByRole('textbox', { name: /Search/ }), 'batch');
    await user.click(await screen.findByRole('button', { name: /^batch/ }));
    await waitFor(() => expect(address()).toBe('/w/search/keys/k2'));
    await screen.findByRole('heading', { name: 'batch' });
    await waitFor(() => expect(document.body.innerHTML).not.toContain('tg-secret'));
  });

  it('requires the name to delete a key that was used in the last day', async () => {
    let isGone = false;
    const { address } = renderConsole('/w/search/keys/k1', {
      ...answers,
      'DELETE /v1/api-keys/k1': () => {
        isGone = true;
        return Response.json({});
      },
    });
    await press('Delete');
    const dialog = await screen.findByRole('dialog', { name: 'Delete search-prod' });
    await within(dialog).findByText('It made 12 requests in the last 24 hours.');
    const button = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete' });
    expect(button.disabled).toBe(true);
    await user.type(within(dialog).getByRole('textbox'), 'search-prod');
    await user.click(button);
    await waitFor(() => expect(address()).toBe('/w/search/keys'));
    expect(isGone).toBe(true);
  });

  it('shows a not-found state when the API returns 404', async () => {
    renderConsole('/w/search/keys/k2', BASE_ANSWERS);
    await screen.findByText('Not here, or not yours.');
  });
});
