import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { MEMBER_PERMISSIONS, MEMBER_SELF, OWNER_SELF } from '../../../spec-support/answers';
import { problemResponse, renderConsole } from '../../../spec-support/render-console';

// Stubbed because jsdom has no canvas.
jest.mock('../../../ui/charts/chart-engine', () => ({
  barPaths: () => () => null,
  createChart: () => {
    const nothing = () => undefined;
    return { setData: nothing, setScale: nothing, setSize: nothing, redraw: nothing, destroy: nothing };
  },
}));

const list = (data: readonly object[]) => ({ object: 'list', total: data.length, data });
const graph = (summary: object, point: object) => ({
  object: 'analytics-graph',
  summary,
  data_points: ['2026-11-28T10:00:00.000Z', '2026-11-28T11:00:00.000Z'].map((timestamp) => ({
    timestamp,
    ...point,
  })),
});
const KEY = {
  ...{ id: 'k-1', name: 'search-prod', expires_at: null },
  usage_limits: {
    ...{
      type: 'cost',
      credit_limit: 3_000,
      current_usage: 1_870.5,
      status: 'active',
      alert_threshold: 2_400,
    },
    ...{ next_usage_reset_at: '2026-12-01T00:00:00Z', forecast_exhausted_at: '2026-11-29T00:00:00Z' },
  },
};
const group = (group_key: string | null, members: object) => ({
  object: 'analytics-group',
  group_key,
  ...members,
});
const ANSWERS = {
  'GET /v1/analytics/graphs/requests': graph({ total: 184_203 }, { total: 5, llm: 5, mcp: 0, a2a: 0 }),
  'GET /v1/analytics/graphs/cost': graph({ total: 41_238.11426, avg: 1 }, { total: 1, avg: 1 }),
  'GET /v1/analytics/graphs/errors/rate': graph({ rate: 0.62 }, { rate: 1 }),
  'GET /v1/analytics/graphs/errors': graph({ total: 1_142 }, { total: 1 }),
  'GET /v1/analytics/graphs/latency': graph({ p90: 2_310, p50: 880, p99: 1, avg: 1 }, { p90: 1 }),
  'GET /v1/analytics/graphs/cache/hit-rate': graph(
    { rate: 14.8, total: 1 },
    { cumulative_simple_cache_savings: 3_000, cumulative_semantic_cache_savings: 812 },
  ),
  'GET /v1/analytics/groups/provider': list([
    group('openai', { requests: 100, error_count: 9, success_rate: 91, p95_latency: 2_900, cost: 500 }),
    // Requests that limits and guardrails refused.
    group(null, { requests: 6, error_count: 6, success_rate: 0, p95_latency: 2, cost: 0 }),
  ]),
  'GET /v1/analytics/groups/api_key': list([group('k-1', { requests: 1, cost: 30_140 })]),
  'GET /v1/api-keys': list([KEY]),
  'GET /v1/logs': { object: 'list', data: [], next_cursor: null },
  'GET /v1/audit-logs': {
    object: 'list',
    total: 1,
    records: [
      {
        ...{ id: 'a-1', timestamp: '2026-11-28T10:00:00Z', action: 'update', resource_type: 'configs' },
        ...{ response_status_code: 200, before: { name: 'chat-prod', version: 14 }, resource_id: 'c-1' },
        after: { name: 'chat-prod', version: 15 },
      },
    ],
  },
};

describe('overview', () => {
  beforeEach(() => {
    localStorage.setItem(
      `tollgate:onboarding:${OWNER_SELF.workspaces[0]?.id ?? ''}`,
      '{"isDismissed":true,"done":[]}',
    );
  });
  const pane = (name: string): Promise<HTMLElement> => screen.findByRole('region', { name });

  it('shows exact figures, alerts, budgets, providers, spenders and changes', async () => {
    const { unanswered } = renderConsole('/w/search', ANSWERS);
    await within(await pane('Spend')).findByText('exactly 412.38114260');
    await within(await pane('Errors')).findByText('1,142 requests');
    await within(await pane('Latency p90')).findByText('2.31 s');
    await within(await pane('Saved by cache')).findByText('$38.12');
    const needs = await pane('Needs you');
    await within(needs).findByText('@openai fails');
    expect(within(needs).getByRole('link', { name: 'Why' }).getAttribute('href')).toBe(
      '/w/search/logs?f=credential%3Aopenai&t=1h',
    );
    expect(within(needs).getByText('search-prod runs out before its reset')).toBeTruthy();
    expect(within(await pane('Budgets')).getByText('$1,870.50 of $3,000.00')).toBeTruthy();
    expect(within(await pane('Providers')).getByText('some fail')).toBeTruthy();
    // Requests that a limit or guardrail refused do not count as failures of a provider.
    expect(screen.queryByText('failing')).toBeNull();
    expect(within(needs).getAllByRole('listitem')).toHaveLength(2);
    expect(await within(await pane('Who spends')).findByText('search-prod')).toBeTruthy();
    const links = ['$1,870.50 of $3,000.00', '@openai', 'search-prod', '1,142 requests'];
    const addresses = links.map((name) => screen.getByRole('link', { name }).getAttribute('href'));
    expect(addresses).toEqual([
      '/w/search/keys/k-1',
      '/w/search/providers/openai',
      '/w/search/logs?f=key%3Ak-1',
      '/w/search/logs?f=success%3Ano',
    ]);
    expect(within(await pane('What changed')).getByText('changed config chat-prod')).toBeTruthy();
    expect(unanswered).toEqual([]);
  });

  it('does not call keys deleted whose names could not be read', async () => {
    renderConsole('/w/search', {
      ...ANSWERS,
      'GET /v1/api-keys': () => problemResponse(403, 'forbidden', 'No keys for you.'),
    });
    const spenders = await pane('Who spends');
    await within(spenders).findByRole('link', { name: 'k-1' });
    expect(within(spenders).queryByText(/deleted key/)).toBeNull();
  });

  it('shows no latency for a time without requests', async () => {
    renderConsole('/w/search', {
      ...ANSWERS,
      'GET /v1/analytics/graphs/requests': graph({ total: 0 }, { total: 0, llm: 0, mcp: 0, a2a: 0 }),
      'GET /v1/analytics/graphs/latency': graph({ p90: 0, p50: 0, p99: 0, avg: 0 }, { p90: 0 }),
    });
    await within(await pane('Latency p90')).findByText('–', { selector: 'b span' });
    expect(within(await pane('Latency p90')).queryByText('0 ms')).toBeNull();
  });

  it('shows the date of a change, which may be days ago', async () => {
    renderConsole('/w/search', ANSWERS);
    await within(await pane('What changed')).findByText('28 Nov 2026, 10:00');
  });

  it('keeps range, comparison and grouping in its address', async () => {
    const user = userEvent.setup();
    const { address, requests } = renderConsole('/w/search', ANSWERS);
    await user.click(await screen.findByRole('button', { name: '7 d' }));
    await waitFor(() => expect(address()).toBe('/w/search?t=7d'));
    await user.click(screen.getByRole('button', { name: 'Compare with the time before' }));
    await waitFor(() => expect(address()).toBe('/w/search?t=7d&vs=1'));
    const costs = (): number => new Set(requests.filter((one) => one.includes('graphs/cost'))).size;
    await waitFor(() => expect(costs()).toBeGreaterThanOrEqual(3));
    await user.click(screen.getByRole('button', { name: 'Provider' }));
    await waitFor(() => expect(address()).toBe('/w/search?t=7d&vs=1&by=provider'));
    await user.click(screen.getByRole('button', { name: '24 h' }));
    await waitFor(() => expect(address()).toBe('/w/search?vs=1&by=provider'));
  });

  it('shows the other panes when one read fails, and makes no analytics calls for a member without the right', async () => {
    const failing = (): Response => problemResponse(400, 'validation_failed', 'The range is too long.');
    const one = renderConsole('/w/search', { ...ANSWERS, 'GET /v1/analytics/graphs/cost': failing });
    await within(await pane('Spend')).findByText('The range is too long.');
    await within(await pane('Errors')).findByText('1,142 requests');
    one.unmount();
    const other = renderConsole('/w/search', { ...ANSWERS, 'GET /v1/api-keys': failing });
    await within(await pane('Budgets')).findByText('The range is too long.');
    expect(within(await pane('Budgets')).queryByText('No budget')).toBeNull();
    other.unmount();
    const { requests } = renderConsole('/w/search', {
      'GET /v1/auth/self': MEMBER_SELF,
      'GET /v1/auth/permissions': MEMBER_PERMISSIONS,
    });
    await screen.findByText(/analytics\.view/);
    expect(requests.filter((request) => request.includes('/analytics/'))).toEqual([]);
  });
});
