import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import {
  BOOTSTRAP,
  MEMBER_PERMISSIONS,
  MEMBER_SELF,
  OWNER_PERMISSIONS,
  OWNER_SELF,
} from '../spec-support/answers';
import { problemResponse, renderConsole } from '../spec-support/render-console';
import { pageIn } from './shell/page-in';
import { refusalOf } from './state/access';

const signedOut = (): Response => problemResponse(401, 'unauthenticated', 'Log in.');

describe('shell', () => {
  beforeEach(() => {
    localStorage.clear();
  });

  it('opens Home of the first workspace with at most nine requests', async () => {
    const { requests, unanswered, address } = renderConsole('/', {
      'GET /v1/logs': { object: 'list', data: [], next_cursor: null },
    });
    await screen.findByRole('heading', { name: 'Your gateway is running' });
    expect(address()).toBe('/w/search');
    expect(unanswered).toEqual([]);
    expect(requests.length).toBeLessThanOrEqual(9);
  });

  it('opens a workspace by slug or id, and reports an unknown one as not found', async () => {
    const own = renderConsole('/w/0198f3a1-0000-7000-8000-000000000002');
    await screen.findByRole('button', { name: 'Workspace: Batch' });
    own.unmount();
    renderConsole('/w/elsewhere');
    await screen.findByText('Not here, or not yours.');
  });

  it('switches the workspace, from a detail page to its list', async () => {
    const user = userEvent.setup();
    const { address } = renderConsole('/w/search');
    await user.click(await screen.findByRole('button', { name: 'Workspace: Search team' }));
    await user.click(await screen.findByRole('menuitem', { name: /Batch/ }));
    await waitFor(() => expect(address()).toBe('/w/batch'));
    expect(pageIn({ slug: 'batch' }, '/w/search/keys/0198', '?tab=edit')).toBe('/w/batch/keys');
  });

  it('marks a production environment, and tells when no workspace matches a search', async () => {
    const user = userEvent.setup();
    const many = Array.from({ length: 9 }, (_, at) => ({
      ...OWNER_SELF.workspaces[0]!,
      ...{ id: `w-${String(at)}`, slug: `team-${String(at)}`, name: `Team ${String(at)}` },
    }));
    renderConsole('/w/team-1', {
      'GET /v1/auth/self': { ...OWNER_SELF, workspaces: many },
      'GET /v1/console/bootstrap': { ...BOOTSTRAP, environment: 'production' },
    });
    expect((await screen.findByText('production')).dataset['production']).toBe('true');
    await user.click(screen.getByRole('button', { name: 'Workspace: Team 1' }));
    await user.type(await screen.findByRole('textbox', { name: 'Find a workspace' }), 'nowhere');
    await screen.findByText('Nothing by this name.');
  });

  it('tells a user without a workspace who can help', async () => {
    renderConsole('/', { 'GET /v1/auth/self': { ...OWNER_SELF, workspaces: [] } });
    await screen.findByText('You are in no workspace yet. An admin of one can add you.');
    expect(screen.getByRole('link', { name: 'Your account' }).getAttribute('href')).toBe('/me');
  });

  it('handles shortcuts and lists them in a dialog', async () => {
    const user = userEvent.setup();
    renderConsole('/w/search');
    await screen.findByRole('heading', { name: 'Your gateway is running' });
    await user.keyboard('[[');
    await screen.findByRole('link', { name: 'Home' });
    expect(screen.queryByText('Ada Lovelace')).toBeNull();
    await user.keyboard('[[');
    await user.keyboard('w');
    await screen.findByRole('menuitem', { name: /^Batch/ });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('menuitem')).toBeNull());
    await user.keyboard('?');
    const dialog = await screen.findByRole('dialog', { name: 'Keys' });
    const everywhere = within(dialog).getByRole('region', { name: 'Everywhere' });
    expect(within(everywhere).getByText('Go to Home')).toBeTruthy();
    const lists = within(dialog).getByRole('region', { name: 'In lists' });
    expect(within(lists).getByText('Add a filter').nextElementSibling?.textContent).toBe('F');
  });

  it('lists only the shortcuts of actions that the user may use', async () => {
    const user = userEvent.setup();
    renderConsole('/me/preferences', {
      'GET /v1/auth/self': MEMBER_SELF,
      'GET /v1/auth/permissions': {
        ...MEMBER_PERMISSIONS,
        workspaces: [
          { ...MEMBER_PERMISSIONS.workspaces[0], scopes: ['workspace_service_api_keys.list'], settings: [] },
        ],
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Keys' }));
    const dialog = await screen.findByRole('dialog', { name: 'Keys' });
    within(dialog).getByText('Go to API keys');
    expect(within(dialog).queryByText('Create: API key')).toBeNull();
  });

  it('calls the state unknown while the gateways cannot be read', async () => {
    const { queries } = renderConsole('/me/preferences', {
      'GET /v1/admin/gateways': () => problemResponse(403, 'forbidden', 'No.'),
    });
    await waitFor(() => expect(queries.getQueryState(['gateways_list', {}])?.status).toBe('error'));
    expect(screen.queryByText('All parts well')).toBeNull();
    screen.getByText('State unknown');
  });

  it('keeps the page when the code of a dialog cannot be loaded', async () => {
    const silent = jest.spyOn(console, 'error').mockImplementation();
    jest.doMock('./shell/pages-drawer', () => {
      throw new Error('Failed to fetch dynamically imported module');
    });
    const user = userEvent.setup();
    renderConsole('/me/preferences');
    await user.click(await screen.findByRole('button', { name: 'Open the pages' }));
    await waitFor(() => expect(silent).toHaveBeenCalled());
    screen.getByRole('navigation', { name: 'Pages' });
    jest.dontMock('./shell/pages-drawer');
    silent.mockRestore();
  });

  it('skips to the content of the page that is open', async () => {
    const user = userEvent.setup();
    renderConsole('/w/search');
    const link = await screen.findByRole('link', { name: 'Skip to the content' });
    let isPrevented = false;
    const look = (event: Event) => (isPrevented = event.defaultPrevented);
    document.addEventListener('click', look);
    await user.click(link);
    document.removeEventListener('click', look);
    // The browser would resolve the link against the base of the document, which is Home.
    expect(isPrevented).toBe(true);
    expect(document.activeElement).toBe(screen.getByRole('main'));
  });

  it('offers to reload when the admin API has another version than at the start', async () => {
    let version = '1.0.0';
    const { queries } = renderConsole('/w/search', {
      'GET /v1/console/bootstrap': () => Response.json({ ...BOOTSTRAP, version }),
    });
    await screen.findByRole('heading', { name: 'Your gateway is running' });
    expect(screen.queryByRole('button', { name: 'Reload' })).toBeNull();
    version = '1.1.0';
    await act(() => queries.invalidateQueries({ queryKey: ['console_bootstrap'] }));
    await screen.findByRole('button', { name: 'Reload' });
  });

  it('shows the sign-in when there is no session', async () => {
    renderConsole('/w/search', {
      'GET /v1/auth/self': signedOut,
      'GET /v1/auth/permissions': signedOut,
    });
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(screen.queryByRole('navigation')).toBeNull();
  });
});

describe('refusalOf', () => {
  const [workspace] = MEMBER_SELF.workspaces;

  it('decides by the scopes that the server computed, and names the setting that removes a scope', () => {
    const member = { permissions: MEMBER_PERMISSIONS };
    expect(refusalOf('configs_list', member, workspace!)).toBeNull();
    expect(refusalOf('auth_self', member, workspace!)).toBeNull();
    expect(refusalOf('configs_update', member, workspace!)).toMatchObject({
      scopes: ['configs.update'],
      closedBy: ['membersWriteConfigs'],
    });
    expect(refusalOf('configs_list', member, { id: 'another' })).not.toBeNull();
    expect(refusalOf('configs_update', { permissions: OWNER_PERMISSIONS }, { id: 'any' })).toBeNull();
  });
});
