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

describe('The bell', () => {
  beforeEach(() => localStorage.clear());
  const list = (data: readonly object[]) => ({ object: 'list', total: data.length, data });
  const answers = (gateways: readonly Need[]) => ({
    'GET /v1/analytics/groups/provider': list([]),
    'GET /v1/api-keys': list([]),
    'GET /v1/admin/gateways': list(gateways.map((need) => (need as Need & { kind: 'gateway' }).gateway)),
  });

  it('lists what needs the user, and counts only what they have not seen', async () => {
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

  it('shows nothing where nothing needs the user', async () => {
    const user = userEvent.setup();
    renderConsole('/me/preferences', answers([]));
    await user.click(await screen.findByRole('button', { name: 'Alerts' }));
    await waitFor(() => expect(screen.getByText('Nothing needs you')).toBeTruthy());
  });
});

describe('What was read', () => {
  const USER = OWNER_SELF.id;
  beforeEach(() => localStorage.clear());

  it('is kept by user and workspace, and is new again when it comes back', () => {
    markRead(USER, 'w-1', [gateway('g-1'), gateway('g-2')]);
    markRead(USER, 'w-2', [gateway('g-1')]);
    expect(readNeeds('another').size).toBe(0);
    expect([...forgetOver(USER, 'w-1', [gateway('g-2'), gateway('g-3')])]).toEqual([
      inWorkspaceOf('w-2', gateway('g-1')),
      inWorkspaceOf('w-1', gateway('g-2')),
    ]);
    expect([...readNeeds(USER)]).not.toContain(inWorkspaceOf('w-1', gateway('g-1')));
  });

  it('does not hide a need that has become worse', () => {
    expect(keyOfNeed(budget('active'))).not.toBe(keyOfNeed(budget('exhausted')));
  });

  it('is bounded, and survives a broken store', () => {
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
