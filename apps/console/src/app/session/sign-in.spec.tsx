import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../spec-support/render-console';
import { takeClaim } from './claim';
import { leave } from './leave';
import { BETA, CHALLENGE, CONNECTION, REDIRECT, server } from './spec-support/server';
import { keepBegin, keepBinding, ownPath, returnPathOf, takeReturn } from './sso-return';

const bodyOf = (bodies: unknown[]) => async (request: Request) => {
  bodies.push(await request.json());
  return Response.json(REDIRECT);
};

describe('sign-in by single sign-on', () => {
  let to: jest.SpyInstance;
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    to = jest.spyOn(leave, 'to').mockImplementation();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    history.replaceState(null, '', '/');
  });

  it('redirects an email address to the identity provider of its domain, and stores the binding in the tab', async () => {
    const user = userEvent.setup();
    const bodies: unknown[] = [];
    const { answers } = server({
      'GET /v1/auth/sso/discover': {
        object: 'sso-discovery',
        methods: ['password', 'sso'],
        connections: [CONNECTION],
      },
      'POST /v1/auth/login': bodyOf(bodies),
    });
    renderConsole('/w/search/logs?t=1h', answers);
    await user.click(await screen.findByRole('button', { name: 'Use single sign-on' }));
    await user.type(screen.getByLabelText(/Email/), 'ada@example.com');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(to).toHaveBeenCalledWith(REDIRECT.url));
    expect(bodies).toEqual([
      {
        sso_client_id: CONNECTION.sso_client_id,
        email: 'ada@example.com',
        return_path: '/w/search/logs?t=1h',
      },
    ]);
    expect(sessionStorage.getItem('tollgate:sso-binding')).toBe('binding-of-this-tab');
  });

  it('reports a domain without single sign-on, and shows several connections as buttons', async () => {
    const user = userEvent.setup();
    const found = { object: 'sso-discovery', methods: ['password'], connections: [] as object[] };
    const { answers } = server({ 'GET /v1/auth/sso/discover': () => Response.json(found) });
    renderConsole('/login/sso', answers);
    await user.type(await screen.findByLabelText(/Email/), 'ada@example.com');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await screen.findByText('There is no single sign-on for example.com. Use email and password.');
    found.connections = [CONNECTION, { ...CONNECTION, sso_client_id: 'another', name: 'Entra ID' }];
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await screen.findByRole('button', { name: 'Sign in with Okta' });
    await screen.findByRole('button', { name: 'Sign in with Entra ID' });
    expect(to).not.toHaveBeenCalled();
  });

  it('shows the connections of the email address in the password form', async () => {
    const user = userEvent.setup();
    const { answers } = server({
      'GET /v1/auth/sso/discover': { object: 'sso-discovery', methods: ['sso'], connections: [CONNECTION] },
    });
    renderConsole('/w/search', answers);
    await user.type(await screen.findByLabelText(/Email/), 'ada@example.com');
    await user.tab();
    await screen.findByRole('button', { name: 'Sign in with Okta' });
    await screen.findByText(/Your organisation uses single sign-on/);
  });

  const comeBack = (query: string): void => {
    history.replaceState(null, '', `/login/sso?${query}`);
    takeReturn();
  };

  it('returns to the requested page and leaves no code in the address', async () => {
    const { state, answers } = server();
    keepBinding('binding-of-this-tab');
    comeBack('code=code-1&return_path=%2Fw%2Fsearch%2Fkeys');
    expect([location.search, sessionStorage.getItem('tollgate:sso-binding')]).toEqual(['', null]);
    const { address } = renderConsole('/login/sso', answers);
    await waitFor(() => expect(address()).toBe('/w/search/keys'));
    expect(state.bodies).toEqual([{ code: 'code-1', login_binding: 'binding-of-this-tab' }]);
    await screen.findByRole('navigation', { name: 'Pages' });
  });

  it('refuses a return in a tab that did not start the sign-in', async () => {
    const { state, answers } = server();
    comeBack('code=code-1&return_path=%2F');
    renderConsole('/login/sso', answers);
    await screen.findByText(/started in another tab or browser/);
    expect(state.bodies).toEqual([]);
  });

  it('asks the user to confirm a sign-in that the identity provider started', async () => {
    const user = userEvent.setup();
    const { state, answers } = server();
    comeBack('code=code-1&return_path=%2F&login_binding=binding-of-the-provider');
    const { address } = renderConsole('/login/sso', answers);
    await screen.findByText(/Continue only if you came from there/);
    expect(state.bodies).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(address()).toBe('/w/search'));
  });

  it('starts a sign-in with the connection of the address only after the user has confirmed it, or chosen it', async () => {
    const user = userEvent.setup();
    const bodies: unknown[] = [];
    const address = `/login/sso?connection=${CONNECTION.sso_client_id}`;
    const { answers } = server({ 'POST /v1/auth/login': bodyOf(bodies) });
    const { unmount } = renderConsole(address, answers);
    await screen.findByText(/^A link has brought you here to sign in/);
    expect(bodies).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(to).toHaveBeenCalledWith(REDIRECT.url));
    unmount();
    keepBegin(CONNECTION.sso_client_id);
    renderConsole(address, answers);
    await waitFor(() => expect(bodies).toHaveLength(2));
    expect(sessionStorage.getItem('tollgate:sso-begin')).toBeNull();
  });

  it('takes a sign-in of the identity provider in a tab that has abandoned another one', async () => {
    const user = userEvent.setup();
    const { state, answers } = server();
    keepBinding('binding-of-the-abandoned-one');
    comeBack('code=code-1&return_path=%2F&login_binding=binding-of-the-provider');
    renderConsole('/login/sso', answers);
    await screen.findByText(/Continue only if you came from there/);
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await screen.findByRole('navigation', { name: 'Pages' });
    expect(state.bodies).toEqual([{ code: 'code-1', login_binding: 'binding-of-the-provider' }]);
  });

  it.each([
    ['/w/search/logs?f=a#b', '/w/search/logs?f=a#b'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['/a\nb', '/'],
    [null, '/'],
  ])('reduces the return path %j to %j', (text, path) => {
    expect(ownPath(text)).toBe(path);
  });

  it('returns to a page without its query when the address is too long', () => {
    expect(returnPathOf(`/w/search/logs?q=${'x'.repeat(600)}`)).toBe('/w/search/logs');
    expect(returnPathOf(`/${'x'.repeat(600)}`)).toBe('/');
  });
});

describe('sign-in with a second factor', () => {
  it('keeps no form with a secret in memory after the sign-in', async () => {
    const user = userEvent.setup();
    const { answers } = server();
    const { queries } = renderConsole('/w/search', answers);
    await user.type(await screen.findByLabelText(/Email/), 'ada@example.com');
    await user.type(screen.getByLabelText(/Password/), 'secret');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByRole('navigation', { name: 'Pages' });
    await waitFor(() => expect(queries.getMutationCache().getAll()).toEqual([]));
  });

  it('asks for a code after the password, and lets the user start again', async () => {
    const user = userEvent.setup();
    const { state, answers } = server({ 'POST /v1/auth/login': CHALLENGE });
    renderConsole('/w/search', answers);
    const password = async () => {
      await user.type(await screen.findByLabelText(/Email/), 'ada@example.com');
      await user.type(screen.getByLabelText(/Password/), 'secret');
      await user.click(screen.getByRole('button', { name: 'Sign in' }));
    };
    await password();
    await screen.findByLabelText(/Code/);
    await user.click(screen.getByRole('button', { name: 'Start again' }));
    await password();
    await user.type(await screen.findByLabelText(/Code/), '492039');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByRole('navigation', { name: 'Pages' });
    expect(state.bodies).toEqual([{ challenge: 'challenge-1', code: '492039' }]);
  });
});

describe('sign-in with a passkey', () => {
  const RESPONSE = { id: 'credential-1', type: 'public-key' };
  class PasskeyStub {
    static parseRequestOptionsFromJSON = (options: object): object => options;
    toJSON = (): object => RESPONSE;
  }
  let get: jest.Mock;
  beforeEach(() => {
    get = jest.fn(() => Promise.resolve(new PasskeyStub()));
    Object.assign(globalThis, { PublicKeyCredential: PasskeyStub });
    Object.defineProperty(navigator, 'credentials', { value: { get }, configurable: true });
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
    Reflect.deleteProperty(navigator, 'credentials');
  });
  const OPTIONS = { object: 'passkey-options', options: { challenge: 'bm9uY2U' } };

  it('signs in with a passkey only, and reports a cancelled one', async () => {
    const user = userEvent.setup();
    const { state, answers } = server({ 'POST /v1/auth/login/passkey/options': OPTIONS });
    const taken = { ...answers, 'POST /v1/auth/login/passkey': answers['POST /v1/auth/login'] };
    renderConsole('/w/search', taken);
    get.mockRejectedValueOnce(new DOMException('Cancelled.', 'NotAllowedError'));
    await user.click(await screen.findByRole('button', { name: 'Use a passkey' }));
    await screen.findByText(/^No passkey was used/);
    await user.click(screen.getByRole('button', { name: 'Use a passkey' }));
    await screen.findByRole('navigation', { name: 'Pages' });
    expect(state.bodies).toEqual([{ response: RESPONSE }]);
    expect(get).toHaveBeenLastCalledWith({ publicKey: OPTIONS.options });
  });

  it('shows the error of the last attempt, not of an earlier one by other means', async () => {
    const user = userEvent.setup();
    const { answers } = server({
      'POST /v1/auth/login': () => problemResponse(401, 'unauthenticated', 'The password is wrong.'),
      'POST /v1/auth/login/passkey/options': OPTIONS,
    });
    renderConsole('/w/search', answers);
    await user.type(await screen.findByLabelText(/Email/), 'ada@example.com');
    await user.type(screen.getByLabelText(/Password/), 'secret');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText('The password is wrong.');
    get.mockRejectedValueOnce(new DOMException('Cancelled.', 'NotAllowedError'));
    await user.click(screen.getByRole('button', { name: 'Use a passkey' }));
    await screen.findByText(/^No passkey was used/);
    expect(screen.queryByText('The password is wrong.')).toBeNull();
  });

  it('accepts a passkey as the second factor after a password', async () => {
    const user = userEvent.setup();
    const { state, answers } = server({
      'POST /v1/auth/login': { ...CHALLENGE, factors: ['passkey'] },
      'POST /v1/auth/login/passkey/options': OPTIONS,
    });
    renderConsole('/w/search', {
      ...answers,
      'POST /v1/auth/login/passkey': answers['POST /v1/auth/login/mfa'],
    });
    await user.type(await screen.findByLabelText(/Email/), 'ada@example.com');
    await user.type(screen.getByLabelText(/Password/), 'secret');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByLabelText(/Code/);
    await user.click(screen.getByRole('button', { name: 'Use a passkey' }));
    await screen.findByRole('navigation', { name: 'Pages' });
    expect(state.bodies).toEqual([{ challenge: 'challenge-1', response: RESPONSE }]);
  });
});

describe('sign-in of a user of several organisations', () => {
  const self = { ...OWNER_SELF, organisations: [...OWNER_SELF.organisations, BETA] };
  const inBeta = { ...self, organisation: { ...BETA, settings: {} }, workspaces: [] };
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
  });

  async function signIn(more: Answers = {}) {
    const user = userEvent.setup();
    const { state, answers } = server(more);
    state.self = self;
    const rendered = renderConsole('/me', answers);
    await user.type(await screen.findByLabelText(/Email/), 'ada@example.com');
    await user.type(screen.getByLabelText(/Password/), 'secret');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText(/You belong to several organisations/);
    return { ...rendered, user, state };
  }

  it('notifies the other tabs when the session opens, before the user chooses an organisation', async () => {
    const received: unknown[] = [];
    const channel = new BroadcastChannel('tollgate-session');
    channel.onmessage = ({ data }) => received.push((data as { holder: unknown }).holder);
    try {
      await signIn();
      await waitFor(() =>
        expect(received).toEqual([{ user: OWNER_SELF.id, organisation: OWNER_SELF.organisation.id }]),
      );
    } finally {
      channel.close();
    }
  });

  it('asks which organisation to open, and opens the first one without another call', async () => {
    const { user, requests } = await signIn();
    await user.click(screen.getByRole('button', { name: /^Acme/ }));
    await screen.findByRole('heading', { name: 'Profile' });
    expect(requests).not.toContain('POST /v1/auth/organisation');
  });

  it('opens another organisation after its second factor', async () => {
    const bodies: unknown[] = [];
    const { user, state } = await signIn({
      'POST /v1/auth/organisation': async (request: Request) => {
        bodies.push(await request.json());
        return Response.json(CHALLENGE);
      },
    });
    await user.click(screen.getByRole('button', { name: /^Beta/ }));
    state.self = inBeta;
    await user.type(await screen.findByLabelText(/Code/), '492039');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText('Beta, member');
    expect(bodies).toEqual([{ organisation_id: BETA.id }]);
  });

  it('asks for another sign-in to an organisation that does not accept the current one', async () => {
    const { user, state } = await signIn({
      'POST /v1/auth/organisation': () =>
        Response.json(
          { error: { type: 'forbidden', message: 'Log in there.', param: 'organisation_id' } },
          { status: 403 },
        ),
    });
    await user.click(screen.getByRole('button', { name: /^Beta/ }));
    await screen.findByText(/Sign in to Beta/);
    state.self = inBeta;
    await user.type(screen.getByLabelText(/Email/), 'ada@example.com');
    await user.type(screen.getByLabelText(/Password/), 'secret');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText('Beta, member');
    expect(state.bodies.at(-1)).toEqual({
      ...{ email: 'ada@example.com', password: 'secret', organisation_id: BETA.id },
    });
  });
});

describe('sign-in by the link of the launcher', () => {
  it.each([
    [() => Promise.reject(new TypeError('network')), 'The server cannot be reached. Open the link again.'],
    [() => problemResponse(401, 'unauthenticated', 'Log in.'), /^The link does not work any more\./],
    [
      () => problemResponse(403, 'sso_login_refused', 'Your organisation requires single sign-on.'),
      'Your organisation requires single sign-on.',
    ],
  ])('says whether a link cannot be checked, has ended or is not admitted', async (claim, note) => {
    history.replaceState(null, '', '/#claim=token');
    takeClaim();
    renderConsole('/claim', { 'POST /v1/auth/claim': claim });
    await screen.findByText(note);
  });
});
