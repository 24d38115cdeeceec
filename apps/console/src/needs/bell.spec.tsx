import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { OWNER_SELF } from '../spec-support/answers';
import { renderConsole } from '../spec-support/render-console';
import type { Need } from './needs';
import { forgetOver, inWorkspaceOf, keyOfNeed, markRead, readNeeds } from './read-needs';

const gateway = (id: string): Need => ({
  kind: 'gateway',
  gateway: {
    ...{ object: 'gateway', id, version: '1', warnings: [], connected: false },
    ...{ first_seen_at: '2026-11-28T00:00:00Z', last_seen_at: '2026-11-28T00:00:00Z' },
  },
});
const budget = (status: 'active' | 'exhausted'): Need => ({
  kind: 'budget',
  budget: {
    ...{ kind: 'key', id: 'k-1', name: 'search' },
    limit: {
      ...{ type: 'cost', credit_limit: 10, current_usage: 5, status, alert_threshold: null },
      ...{ periodic_reset: 'monthly', periodic_reset_days: null, next_usage_reset_at: null },
    },
  },
});

describe('bell', () => {
  beforeEach(() => localStorage.clear());
  const list = (data: readonly object[]) => ({ object: 'list', total: data.length, data });
  const answers = (gateways: readonly Need[]) => ({
    'GET /v1/analytics/groups/provider': list([]),
    'GET /v1/api-keys': list([]),
    'GET /v1/admin/gateways': list(gateways.map((need) => (need as Need & { kind: 'gateway' }).gateway)),
  });

  it('lists the alerts and counts only the unread ones', async () => {
    const user = userEvent.setup();
    const first = renderConsole('/me/preferences', answers([gateway('g-1')]));
    await user.click(await screen.findByRole('button', { name: 'Alerts' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText('Gateway g-1 is not connected');
    await within(dialog).findByText('new');
    await user.click(screen.getByRole('button', { name: 'Alerts, 1 new' }));
    await screen.findByRole('button', { name: 'Alerts' });
    const groups = () => first.requests.filter((request) => request.startsWith('GET /v1/analytics/groups'));
    await waitFor(() => expect(groups()).toHaveLength(2));
    first.unmount();
    renderConsole('/me/preferences', answers([gateway('g-1'), gateway('g-2')]));
    await user.click(await screen.findByRole('button', { name: 'Alerts' }));
    await screen.findByRole('button', { name: 'Alerts, 1 new' });
    const rows = await within(await screen.findByRole('dialog')).findAllByRole('listitem');
    expect(rows.map(({ textContent }) => textContent?.includes('new'))).toEqual([false, true]);
  });

  it('says of a budget without a reset only that it runs out, or that it is used up', async () => {
    const user = userEvent.setup();
    const limit = (more: object) => ({
      ...(budget('active') as Need & { kind: 'budget' }).budget.limit,
      ...more,
    });
    const key = { expires_at: null, rotation_policy: null };
    const ends = { forecast_exhausted_at: '2026-12-01T00:00:00Z' };
    renderConsole('/me/preferences', {
      ...answers([]),
      'GET /v1/api-keys': list([
        { ...key, id: 'k-1', name: 'nightly', usage_limits: limit(ends) },
        { ...key, id: 'k-2', name: 'batch', usage_limits: limit({ ...ends, status: 'exhausted' }) },
      ]),
    });
    await user.click(await screen.findByRole('button', { name: /^Alerts/ }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText('nightly runs out');
    within(dialog).getByText('batch has used its budget');
    within(dialog).getByText('Requests are refused.');
  });

  it('shows an empty state when there is no alert', async () => {
    const user = userEvent.setup();
    renderConsole('/me/preferences', answers([]));
    await user.click(await screen.findByRole('button', { name: 'Alerts' }));
    await waitFor(() => expect(screen.getByText('Nothing needs you')).toBeTruthy());
  });
});

describe('read alerts', () => {
  const USER = OWNER_SELF.id;
  beforeEach(() => localStorage.clear());

  it('are stored by user and workspace, and are new again when they return', () => {
    markRead(USER, 'w-1', [gateway('g-1'), gateway('g-2')]);
    markRead(USER, 'w-2', [gateway('g-1')]);
    expect(readNeeds('another').size).toBe(0);
    expect([...forgetOver(USER, 'w-1', [gateway('g-2'), gateway('g-3')])]).toEqual([
      inWorkspaceOf('w-1', gateway('g-2')),
      inWorkspaceOf('w-2', gateway('g-1')),
    ]);
    expect([...readNeeds(USER)]).not.toContain(inWorkspaceOf('w-1', gateway('g-1')));
  });

  it('stay read when the bell closes before all alerts are known', () => {
    markRead(USER, 'w-1', [gateway('g-1')]);
    expect([...markRead(USER, 'w-1', [gateway('g-2')])]).toEqual([
      inWorkspaceOf('w-1', gateway('g-1')),
      inWorkspaceOf('w-1', gateway('g-2')),
    ]);
  });

  it('do not hide an alert that has become worse', () => {
    expect(keyOfNeed(budget('active'))).not.toBe(keyOfNeed(budget('exhausted')));
  });

  it('are limited to 500, and tolerate a broken store', () => {
    for (let n = 0; n < 60; n += 1)
      markRead(
        USER,
        `w-${String(n)}`,
        Array.from({ length: 10 }, (_, i) => gateway(`g-${String(i)}`)),
      );
    expect(readNeeds(USER).size).toBe(500);
    localStorage.setItem(`tollgate:needs-read:${USER}`, '{"a":');
    expect(readNeeds(USER).size).toBe(0);
  });
});
