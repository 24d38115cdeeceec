import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { BOOTSTRAP, OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole } from '../../spec-support/render-console';

const AT = '2026-11-23T14:00:00.000Z';
const key = (id: string, name: string, userId: string | null) => ({
  object: 'api-key',
  id,
  name,
  user_id: userId,
  status: 'active',
  usage_limits: {
    type: 'cost',
    credit_limit: 10,
    current_usage: 4,
    alert_threshold: null,
    periodic_reset: 'weekly',
  },
  rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
  expires_at: null,
  created_at: AT,
});
const listOf = (...data: readonly unknown[]) => ({ object: 'list', total: data.length, data });

describe('account pages', () => {
  const user = userEvent.setup();
  beforeEach(() => localStorage.clear());

  it('open from the menu and show organisation and workspaces', async () => {
    const { address } = renderConsole('/w/search/models', { 'GET /v1/providers/models': listOf() });
    await user.click(await screen.findByRole('button', { name: /Account of/ }));
    await user.click(await screen.findByRole('menuitem', { name: 'Your account' }));
    await screen.findByRole('heading', { name: 'Profile' });
    expect(address()).toBe('/me');
    screen.getByText('Acme, owner');
    screen.getByRole('link', { name: 'batch' });
  });

  it('change the password when both new inputs match, and clear the inputs', async () => {
    const bodies: unknown[] = [];
    const { queries } = renderConsole('/me', {
      'POST /v1/auth/password': async (request: Request) => {
        bodies.push(await request.json());
        return bodies.length === 1
          ? problemResponse(400, 'validation_failed', 'The current password is wrong.')
          : Response.json({});
      },
    });
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Change password' });
    const enter = async (label: string, text: string): Promise<void> => {
      const input = screen.getByLabelText(label);
      await user.clear(input);
      await user.type(input, text);
    };
    await enter('Current password', 'the former one');
    await enter('New password', 'quiet lamp');
    await enter('New password again', 'quiet lamb');
    screen.getByText('Both must be the same.');
    expect(button.disabled).toBe(true);
    await enter('New password again', 'quiet lamp');
    await user.click(button);
    await screen.findByText('The current password is wrong.');
    await user.click(button);
    await screen.findByText('The password is changed.');
    expect(bodies.at(-1)).toEqual({ current_password: 'the former one', new_password: 'quiet lamp' });
    const kept = JSON.stringify([
      queries.getMutationCache().getAll(),
      { ...localStorage },
      { ...sessionStorage },
    ]);
    expect(kept + document.documentElement.outerHTML).not.toContain('quiet lamp');
  });

  it('hide the password form when password login is off', async () => {
    renderConsole('/me', { 'GET /v1/console/bootstrap': { ...BOOTSTRAP, password_login: false } });
    await screen.findByRole('heading', { name: 'Profile' });
    expect(screen.queryByRole('button', { name: 'Change password' })).toBeNull();
  });

  it("list the caller's keys of every workspace with their limits, and name workspaces that could not be read", async () => {
    const [first] = OWNER_SELF.workspaces;
    const answer = (request: Request): Response =>
      new URL(request.url).searchParams.get('workspace_id') === first?.id
        ? Response.json(listOf(key('k1', 'mine', OWNER_SELF.id), key('k2', 'of the team', null)))
        : problemResponse(403, 'scope_missing', 'It lacks a scope.');
    renderConsole('/me/keys', { 'GET /v1/api-keys': answer });
    await screen.findByRole('link', { name: 'mine' });
    expect(screen.queryByText('of the team')).toBeNull();
    screen.getByText('$4.00 of $10.00 a week');
    screen.getByText('$6.00 left');
    screen.getByText('60 requests a minute');
    screen.getByText('The keys of Batch could not be read.');
  });

  it('find keys beyond the first page of a workspace, and say where keys may be missing', async () => {
    const [first] = OWNER_SELF.workspaces;
    const answer = (request: Request): Response => {
      const query = new URL(request.url).searchParams;
      if (query.get('workspace_id') !== first?.id) return Response.json({ ...listOf(), total: 5_000 });
      const page = Number(query.get('current_page'));
      const data = page === 0 ? [key('k2', 'of the team', null)] : [key('k1', 'mine', OWNER_SELF.id)];
      return Response.json({ object: 'list', total: 101, data });
    };
    renderConsole('/me/keys', { 'GET /v1/api-keys': answer });
    await screen.findByRole('link', { name: 'mine' });
    screen.getByText('Only the first 1,000 keys of Batch were looked through.');
  });

  it('send one change of the password at a time', async () => {
    let respond = (): void => undefined;
    const { requests } = renderConsole('/me', {
      'POST /v1/auth/password': () =>
        new Promise((resolve) => {
          respond = () => resolve(Response.json({}));
        }),
    });
    await user.type(await screen.findByLabelText('Current password'), 'the former one');
    await user.type(screen.getByLabelText('New password'), 'quiet lamp');
    await user.type(screen.getByLabelText('New password again'), 'quiet lamp{Enter}');
    await user.type(screen.getByLabelText('New password again'), '{Backspace}p{Enter}');
    respond();
    await screen.findByText('The password is changed.');
    expect(requests.filter((request) => request === 'POST /v1/auth/password')).toHaveLength(1);
  });

  it('change theme, time zone, density and shortcuts of this browser', async () => {
    renderConsole('/me/preferences');
    await user.click(await screen.findByRole('radio', { name: 'UTC' }));
    await user.click(screen.getByRole('radio', { name: 'Compact' }));
    await user.click(screen.getByRole('radio', { name: 'Dark' }));
    await user.click(screen.getByRole('switch', { name: /Single keys/ }));
    await waitFor(() => expect(document.documentElement.dataset['theme']).toBe('dark'));
    expect(JSON.stringify({ ...localStorage })).toMatch(/utc.*compact.*hasKeys\\?":false/);
  });
});
