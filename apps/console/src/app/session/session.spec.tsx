import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { call } from '../../api';
import { OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../spec-support/render-console';
import { leave } from './leave';
import { BETA, CHALLENGE, CONNECTION, server } from './spec-support/server';
import { notifyTabs } from './tabs';

describe('switch to another organisation', () => {
  const self = { ...OWNER_SELF, organisations: [...OWNER_SELF.organisations, BETA] };
  let to: jest.SpyInstance;
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    to = jest.spyOn(leave, 'to').mockImplementation();
  });
  afterEach(() => jest.restoreAllMocks());

  async function switchTo(answer: unknown, more: Answers = {}) {
    const user = userEvent.setup();
    const { state, answers } = server({ 'POST /v1/auth/organisation': answer, ...more });
    Object.assign(state, { isOpen: true, self });
    renderConsole('/w/search', answers);
    await user.click(await screen.findByRole('button', { name: 'Workspace: Search team' }));
    await user.click(await screen.findByRole('menuitem', { name: /Beta/ }));
    return user;
  }

  it('reloads the console and deletes drafts and the last workspace', async () => {
    sessionStorage.setItem('tollgate:draft:key', '{}');
    const bodies: unknown[] = [];
    await switchTo(async (request: Request) => {
      bodies.push(await request.json());
      return Response.json({ ...self, organisation: { ...BETA, settings: {} } });
    });
    await waitFor(() => expect(to).toHaveBeenCalledWith(document.baseURI));
    expect(bodies).toEqual([{ organisation_id: BETA.id }]);
    expect([sessionStorage.length, localStorage.getItem('tollgate:workspace')]).toEqual([0, null]);
  });

  it('cannot be closed while the session is being changed', async () => {
    let respond = (): void => undefined;
    const user = await switchTo(
      () =>
        new Promise((resolve) => {
          respond = () => resolve(Response.json({ ...self, organisation: { ...BETA, settings: {} } }));
        }),
    );
    await screen.findByRole('dialog');
    await user.keyboard('{Escape}');
    screen.getByRole('dialog');
    respond();
    await waitFor(() => expect(to).toHaveBeenCalledWith(document.baseURI));
  });

  it('opens the organisation after its second factor', async () => {
    const user = await switchTo(CHALLENGE);
    await user.type(await screen.findByLabelText(/Code/), '492039');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await waitFor(() => expect(to).toHaveBeenCalledTimes(1));
  });

  it('shows the sign-in to an organisation that enforces single sign-on, with its connections only', async () => {
    const ofBeta = { ...CONNECTION, sso_client_id: 'beta', name: 'Entra ID', organisation_id: BETA.id };
    const user = await switchTo(
      () => problemResponse(403, 'sso_login_refused', 'Your organisation requires single sign-on.'),
      {
        'GET /v1/auth/sso/discover': {
          ...{ object: 'sso-discovery', methods: ['sso'], connections: [CONNECTION, ofBeta] },
        },
      },
    );
    await screen.findByText('Sign in to Beta with its single sign-on.');
    await user.type(screen.getByLabelText(/Email/), 'ada@example.com');
    await user.tab();
    await screen.findByRole('button', { name: 'Sign in with Entra ID' });
    expect(screen.queryByRole('button', { name: 'Sign in with Okta' })).toBeNull();
  });

  it('asks for another sign-in when the organisation does not accept the current one', async () => {
    const bodies: unknown[] = [];
    const refused = () =>
      Response.json(
        { error: { type: 'forbidden', message: 'Log in there.', param: 'organisation_id' } },
        { status: 403 },
      );
    const user = await switchTo(refused, {
      'POST /v1/auth/login': async (request: Request) => {
        bodies.push(await request.json());
        return Response.json(self);
      },
    });
    await screen.findByText(/Sign in to Beta/);
    await user.type(screen.getByLabelText(/Email/), 'ada@example.com');
    await user.type(screen.getByLabelText(/Password/), 'secret');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await waitFor(() => expect(to).toHaveBeenCalledTimes(1));
    expect(bodies).toEqual([{ email: 'ada@example.com', password: 'secret', organisation_id: BETA.id }]);
  });
});

describe('sign-out', () => {
  let to: jest.SpyInstance;
  let received: unknown[];
  let channel: BroadcastChannel;
  beforeEach(() => {
    localStorage.clear();
    to = jest.spyOn(leave, 'to').mockImplementation();
    received = [];
    channel = new BroadcastChannel('tollgate-session');
    channel.onmessage = ({ data }) => received.push((data as { holder: unknown }).holder);
  });
  afterEach(() => {
    channel.close();
    jest.restoreAllMocks();
  });

  async function signOutBy(logout: unknown): Promise<void> {
    const user = userEvent.setup();
    const { state, answers } = server({ 'POST /v1/auth/logout': logout });
    state.isOpen = true;
    renderConsole('/me/preferences', answers);
    await user.click(await screen.findByRole('button', { name: /Account of/ }));
    await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
  }

  it.each([
    ['null', null, new URL('login', document.baseURI).href],
    ['an address', 'https://idp.example.org/logout?hint=1', 'https://idp.example.org/logout?hint=1'],
  ])('continues at the address of the identity provider, if there is one (%s)', async (_, url, next) => {
    sessionStorage.setItem('tollgate:draft:key', '{}');
    await signOutBy({ logout_url: url });
    await waitFor(() => expect(to).toHaveBeenCalledWith(next));
    await waitFor(() => expect(received).toEqual([null]));
    expect(sessionStorage.getItem('tollgate:draft:key')).toBeNull();
  });

  it('reports a session that could not be ended, and changes nothing', async () => {
    await signOutBy(() => problemResponse(503, 'unavailable', 'The database is away.'));
    await screen.findByText('The database is away.');
    expect([to.mock.calls, received]).toEqual([[], []]);
  });
});

describe('end of a session', () => {
  let to: jest.SpyInstance;
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    to = jest.spyOn(leave, 'to').mockImplementation();
  });
  afterEach(() => jest.restoreAllMocks());

  const inFourMinutes = () => new Date(Date.now() + 240_000).toISOString();
  async function opened(self: object = OWNER_SELF, more: Answers = {}) {
    const { state, answers } = server(more);
    Object.assign(state, { isOpen: true, self });
    const rendered = renderConsole('/w/search/keys/new', answers);
    await screen.findByRole('navigation', { name: 'Pages' });
    return { ...rendered, state };
  }
  async function signIn(): Promise<void> {
    const user = userEvent.setup();
    await user.type(await screen.findByLabelText(/^Email/), 'ada@example.com');
    await user.type(screen.getByLabelText(/^Password/), 'secret');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
  }

  it('warns before the session ends, and renews it by a sign-in over the page', async () => {
    const user = userEvent.setup();
    const { state } = await opened({ ...OWNER_SELF, expires_at: inFourMinutes() });
    await screen.findByText('Your session ends soon');
    state.self = OWNER_SELF;
    await user.click(screen.getByRole('button', { name: 'Sign in again' }));
    await signIn();
    await waitFor(() => expect(screen.queryByText('Your session ends soon')).toBeNull());
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(to).not.toHaveBeenCalled();
  });

  it('shows the sign-in over the page, and keeps the page for the same user', async () => {
    const { state, queries, address } = await opened();
    state.isOpen = false;
    act(() => void queries.invalidateQueries());
    await screen.findByText(/Your session has ended/);
    await signIn();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(address()).toBe('/w/search/keys/new');
    expect(to).not.toHaveBeenCalled();
  });

  it('signs in to the organisation of the page again, which need not be the first one of the user', async () => {
    const inBeta = {
      ...OWNER_SELF,
      organisation: { ...BETA, settings: {} },
      organisations: [...OWNER_SELF.organisations, BETA],
    };
    const { state, queries, address } = await opened(inBeta);
    state.isOpen = false;
    act(() => void queries.invalidateQueries());
    await screen.findByText(/Your session has ended/);
    await signIn();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(state.bodies).toEqual([
      { email: 'ada@example.com', password: 'secret', organisation_id: BETA.id },
    ]);
    expect([address(), to.mock.calls]).toEqual(['/w/search/keys/new', []]);
  });

  it('lets another person sign in instead, without the data of the page', async () => {
    const user = userEvent.setup();
    const { state, queries } = await opened();
    sessionStorage.setItem('tollgate:draft:key', '{}');
    state.isOpen = false;
    act(() => void queries.invalidateQueries());
    await user.click(await screen.findByRole('button', { name: 'Sign in as someone else' }));
    expect(to).toHaveBeenCalledWith(new URL('login', document.baseURI).href);
    expect(sessionStorage.getItem('tollgate:draft:key')).toBeNull();
  });

  it('does not take a wrong current password for the end of the session', async () => {
    const wrong = () => problemResponse(401, 'unauthenticated', 'The current password is wrong.');
    await opened(OWNER_SELF, { 'POST /v1/auth/password': wrong });
    const body = { current_password: 'wrong', new_password: 'a longer password' };
    await act(async () => {
      await expect(call('passwords_change', {}, { body })).rejects.toThrow('The current password is wrong.');
    });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.queryByText(/Your session has ended/)).toBeNull();
  });

  it('reloads the console for another user', async () => {
    const { state, queries } = await opened();
    state.isOpen = false;
    act(() => void queries.invalidateQueries());
    await screen.findByText(/Your session has ended/);
    state.self = { ...OWNER_SELF, id: 'another' };
    await signIn();
    await waitFor(() => expect(to).toHaveBeenCalledWith(document.baseURI));
  });

  it('hides the page after a sign-out in another tab until the user signs in again', async () => {
    await opened();
    otherTab(null);
    await screen.findByText(/You signed out in another tab/);
    expect(document.documentElement.hasAttribute('data-session-over')).toBe(true);
    await userEvent.setup().keyboard('{Control>}k{/Control}');
    otherTab({ user: OWNER_SELF.id, organisation: OWNER_SELF.organisation.id });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.documentElement.hasAttribute('data-session-over')).toBe(false);
    await act(async () => void (await import('../palette/palette')));
    expect(screen.queryByPlaceholderText(/^Name, id, page/)).toBeNull();
  });

  function withShellStyle(): HTMLStyleElement {
    const style = document.createElement('style');
    style.textContent = readFileSync(join(__dirname, '../shell/shell.css'), 'utf8');
    document.head.append(style);
    return style;
  }

  it('hides nothing of the page while the session is open, at any width', async () => {
    const style = withShellStyle();
    await opened();
    const hiding = [...(style.sheet?.cssRules ?? [])]
      .flatMap((rule) => (rule instanceof CSSMediaRule ? [...rule.cssRules] : [rule]))
      .filter((rule) => rule instanceof CSSStyleRule && rule.style.visibility === 'hidden')
      .map((rule) => (rule as CSSStyleRule).selectorText);
    expect(hiding).not.toEqual([]);
    expect(hiding.filter((selector) => document.querySelector(selector) !== null)).toEqual([]);
    style.remove();
  });

  it('hides the dialogs of the page too', async () => {
    const style = withShellStyle();
    await opened();
    await userEvent.setup().click(screen.getByRole('button', { name: 'Keys' }));
    await screen.findByRole('dialog', { name: 'Keys' });
    otherTab(null);
    await screen.findByRole('dialog', { name: 'Sign in' });
    expect(screen.queryByRole('dialog', { name: 'Keys' })).toBeNull();
    expect(screen.queryByRole('navigation')).toBeNull();
    style.remove();
  });

  it('keeps the dialogs of the page open when Escape is pressed in the sign-in over them', async () => {
    const user = userEvent.setup();
    const { state, queries } = await opened();
    await user.click(screen.getByRole('button', { name: 'Keys' }));
    await screen.findByRole('dialog', { name: 'Keys' });
    state.isOpen = false;
    act(() => void queries.invalidateQueries());
    await screen.findByText(/Your session has ended/);
    await user.click(screen.getByLabelText(/^Email/));
    await user.keyboard('{Escape}');
    await signIn();
    await waitFor(() => expect(screen.queryByText(/Your session has ended/)).toBeNull());
    await screen.findByRole('dialog', { name: 'Keys' });
  });

  it('offers to reload a hidden page whose files are missing, as those of its dialog can be', async () => {
    const style = withShellStyle();
    await opened();
    otherTab(null);
    await screen.findByRole('dialog', { name: 'Sign in' });
    act(() => void window.dispatchEvent(new Event('vite:preloadError')));
    await screen.findByRole('button', { name: 'Reload' });
    style.remove();
  });

  it('keeps the page of another user hidden when the session of that user ends too', async () => {
    const { state, queries } = await opened();
    otherTab({ user: 'another', organisation: OWNER_SELF.organisation.id });
    await screen.findByRole('button', { name: 'Go on with it' });
    state.isOpen = false;
    await act(() => queries.invalidateQueries({ queryKey: ['auth_permissions'] }));
    screen.getByRole('button', { name: 'Go on with it' });
    expect(document.documentElement.hasAttribute('data-session-over')).toBe(true);
  });

  it('deletes the drafts of another user or organisation in this tab, and keeps its own', async () => {
    const first = await opened();
    sessionStorage.setItem('tollgate:draft:key', '{}');
    first.unmount();
    const again = await opened();
    expect(sessionStorage.getItem('tollgate:draft:key')).toBe('{}');
    again.unmount();
    await opened({ ...OWNER_SELF, id: 'another' });
    expect(sessionStorage.getItem('tollgate:draft:key')).toBeNull();
  });

  it('offers to continue with the organisation that another tab has opened', async () => {
    const user = userEvent.setup();
    const { state } = await opened();
    state.self = { ...OWNER_SELF, organisation: { ...BETA, settings: {} } };
    otherTab({ user: OWNER_SELF.id, organisation: BETA.id });
    await screen.findByText(/signed in as ada@example.com in Beta/);
    screen.getByRole('button', { name: 'Back to Acme' });
    await user.click(screen.getByRole('button', { name: 'Go on with it' }));
    expect(to).toHaveBeenCalledWith(document.baseURI);
  });

  it('does not notify the tab in which the user signed out', async () => {
    await opened();
    notifyTabs(null);
    otherTab({ user: OWNER_SELF.id, organisation: OWNER_SELF.organisation.id });
    await screen.findByRole('navigation', { name: 'Pages' });
    expect(screen.queryByText(/You signed out/)).toBeNull();
  });
});

function otherTab(holder: object | null): void {
  const channel = new BroadcastChannel('tollgate-session');
  channel.postMessage({ tab: 2, holder });
  channel.close();
}
