import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../spec-support/render-console';
import { likeness } from './new/keys-like-it';
import { bodyOf } from './new/new-key';

const SECRET = 'tg-7Kq2mZx9RtV4bNw8PcYd3HsLf6JgUe1A';
const [WORKSPACE] = OWNER_SELF.workspaces;
const EMPTY = { object: 'list', total: 0, data: [] };
const BASE_ANSWERS: Answers = {
  'GET /v1/api-keys': EMPTY,
  'GET /v1/configs': EMPTY,
  'GET /v1/policies/usage-limits': EMPTY,
  'GET /v1/providers/models': EMPTY,
  'GET /v1/logs': { ...EMPTY, next_cursor: null },
};

describe('wizard of API keys', () => {
  const user = userEvent.setup();
  const bodies: unknown[] = [];
  const created = (request: Request): Promise<Response> =>
    request.json().then((body) => {
      bodies.push(body);
      return Response.json({ object: 'api-key', id: 'k1', key: SECRET });
    });

  beforeEach(() => {
    bodies.length = 0;
    sessionStorage.clear();
    localStorage.clear();
  });

  it('creates a key by keyboard on its first step', async () => {
    renderConsole('/w/search/keys/new', { ...BASE_ANSWERS, 'POST /v1/api-keys/workspace/service': created });
    const name = await screen.findByRole('textbox', { name: /^Name/ });
    name.focus();
    await user.keyboard('search-prod{Control>}{Enter}{/Control}');
    await screen.findByRole('dialog', { name: /search-prod/ });
    expect(bodies).toEqual([
      {
        name: 'search-prod',
        scopes: expect.arrayContaining(['completions.write', 'prompts.render', 'guardrails.invoke']),
        workspace_id: WORKSPACE?.id,
      },
    ]);
  });

  it('accepts a budget on its first step', async () => {
    renderConsole('/w/search/keys/new', { ...BASE_ANSWERS, 'POST /v1/api-keys/workspace/service': created });
    await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'ci');
    const budget = screen.getByRole('textbox', { name: 'Budget' });
    await user.type(budget, '50{Control>}{Enter}{/Control}');
    await screen.findByRole('dialog', { name: /ci/ });
    expect(bodies).toMatchObject([
      { usage_limits: { type: 'cost', credit_limit: 50, periodic_reset: 'monthly' } },
    ]);
  });

  it('moves through its steps by Enter, keeps the step in the address, and sends the entered values', async () => {
    const { address } = renderConsole('/w/search/keys/new', {
      ...BASE_ANSWERS,
      'POST /v1/api-keys/workspace/service': created,
    });
    await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'ci{Enter}');
    await waitFor(() => expect(address()).toBe('/w/search/keys/new?tab=scopes'));
    await user.click(screen.getByRole('radio', { name: 'Read logs' }));
    await user.click(screen.getByRole('button', { name: 'Next: limits' }));
    await user.click(await screen.findByRole('switch', { name: 'Limit what it may spend' }));
    const amount = screen.getByRole('textbox', { name: 'Amount' });
    await user.clear(amount);
    await user.type(amount, '500');
    await user.click(screen.getByRole('button', { name: 'Create key' }));
    await screen.findByRole('dialog', { name: /ci/ });
    expect(bodies).toEqual(
      [
        {
          name: 'ci',
          scopes: ['analytics.view', 'logs.list', 'logs.view', 'logs.export'].sort(),
          usage_limits: { type: 'cost', credit_limit: 500, periodic_reset: 'monthly' },
          workspace_id: WORKSPACE?.id,
        },
      ].map((body) => ({ ...body, scopes: expect.arrayContaining(body.scopes) })),
    );
  });

  it('shows the secret once and drops it on close', async () => {
    const { address, queries } = renderConsole('/w/search/keys/new', {
      ...BASE_ANSWERS,
      'POST /v1/api-keys/workspace/service': created,
    });
    await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'ci{Control>}{Enter}{/Control}');
    const dialog = await screen.findByRole('dialog', { name: /ci/ });
    expect(within(dialog).getAllByText(SECRET, { exact: false }).length).toBeGreaterThan(0);
    const kept = (): string =>
      JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        document.title,
        queries
          .getQueryCache()
          .getAll()
          .map(({ queryKey, state }) => [queryKey, state.data]),
        queries
          .getMutationCache()
          .getAll()
          .map(({ state }) => state),
      ]) + address();
    expect(kept()).not.toContain(SECRET);
    await user.click(within(dialog).getByRole('button', { name: 'Close' }));
    await user.click(within(dialog).getByRole('button', { name: 'Close anyway' }));
    await waitFor(() => expect(address()).toBe('/w/search/keys/k1'));
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
    expect(kept()).not.toContain(SECRET);
  });

  it('shows the error of the API and keeps the inputs', async () => {
    renderConsole('/w/search/keys/new', {
      ...BASE_ANSWERS,
      'POST /v1/api-keys/workspace/service': () =>
        problemResponse(400, 'validation_failed', 'The name is taken.'),
    });
    await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'ci');
    await user.click(screen.getByRole('button', { name: 'Create key' }));
    await screen.findByText('The name is taken.');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Name/ }).value).toBe('ci');
  });

  it('asks for a name before it calls the API', async () => {
    const { requests } = renderConsole('/w/search/keys/new?tab=life', BASE_ANSWERS);
    await user.click(await screen.findByRole('button', { name: 'Create key' }));
    await screen.findByText('Give it a name first.');
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  });
});

describe('budget of a new key', () => {
  it('is compared with the spending of a key with a similar name', async () => {
    const user = userEvent.setup();
    sessionStorage.clear();
    const key = (id: string, name: string) => ({ id, name, type: 'workspace-service' });
    const list = (...data: readonly unknown[]) => ({ object: 'list', total: data.length, data });
    renderConsole('/w/search/keys/new', {
      ...BASE_ANSWERS,
      'GET /v1/api-keys': list(key('k1', 'search-prod'), key('k2', 'batch')),
      'GET /v1/analytics/groups/api_key': list(
        { group_key: 'k1', cost: 43_680 },
        { group_key: 'k2', cost: 700 },
      ),
    });
    await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'search-eu');
    await user.click(screen.getByRole('button', { name: /Limits/ }));
    await user.click(await screen.findByRole('switch', { name: 'Limit what it may spend' }));
    await screen.findByText(/The key search-prod spends \$62.00 a day: \$100.00 would last 1 day./);
    await user.click(screen.getByRole('button', { name: 'Use $1,900.00, 30 days’ worth' }));
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Amount' }).value).toBe('$1,900');
  });

  it('is compared with the average of its type when no name is similar', () => {
    const spender = (name: string, perDay: number) => ({ name, perDay, type: 'workspace-service' as const });
    const all = [spender('search-prod', 4), spender('batch', 2), spender('unused', 0)];
    expect(likeness({ name: 'ci', type: 'workspace-service' }, all)).toEqual({
      ...{ name: null, count: 2, perDay: 3 },
    });
    expect(likeness({ name: 'ci', type: 'workspace-user' }, all)).toBeNull();
  });
});

describe('bodyOf a new key', () => {
  it('contains only entered values, and the workspace except for an organisation key', () => {
    const empty = {
      description: '',
      usage_limits: null,
      rate_limits: [],
      defaults: { metadata: null },
    } as const;
    const type = 'organisation-service' as const;
    expect(bodyOf({ type, name: ' ops ', scopes: ['logs.list'], ...empty, rate_limits: [] }, 'w1')).toEqual({
      name: 'ops',
      scopes: ['logs.list'],
    });
    const closed = { allow_config_override: false };
    expect(bodyOf({ type: 'workspace-user', name: 'me', scopes: [], defaults: closed }, 'w1')).toEqual({
      name: 'me',
      scopes: [],
      defaults: closed,
      workspace_id: 'w1',
    });
  });
});
