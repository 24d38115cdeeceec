import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { leave } from '../app/session/leave';
import { OWNER_PERMISSIONS, OWNER_SELF } from '../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../spec-support/render-console';
import { readQrCode } from './spec-support/read-qr-code';

const SECRET = 'S73O7RU3BBGXNV6TG2H2KT7CHPFKPT26';
const CODES = ['k3fd-98ah-mm2q-xw7c', 'p2wd-11ah-zz2q-ab3c'];
const NO_FACTORS = { object: 'mfa', factors: [], recovery_codes_left: 0, session_factor: null };
const ENROLMENT = {
  object: 'totp-enrolment',
  id: '0198f3a1-0000-7000-8000-0000000000f1',
  secret: SECRET,
  otpauth_uri: `otpauth://totp/Tollgate:ada%40example.com?secret=${SECRET}&issuer=Tollgate`,
};
const needsFactor = () => problemResponse(403, 'mfa_required', 'Add a second factor.');
const wrong = (what: string) => problemResponse(401, 'unauthenticated', `The ${what} is wrong.`);

/**
 * Stub responses of a server whose organisation requires a second factor, which the session lacks.
 */
function server(more: Answers = {}) {
  const state = { lacksFactor: true, bodies: [] as object[] };
  const unlessLacking = (body: unknown) => () => (state.lacksFactor ? needsFactor() : Response.json(body));
  const answers: Answers = {
    'GET /v1/auth/permissions': unlessLacking(OWNER_PERMISSIONS),
    'GET /v1/providers/models': unlessLacking({ object: 'list', total: 0, data: [] }),
    'GET /v1/auth/mfa': NO_FACTORS,
    'POST /v1/auth/mfa/totp': async (request: Request) => {
      const body = (await request.json()) as { password: string };
      state.bodies.push(body);
      return body.password === 'right' ? Response.json(ENROLMENT) : wrong('password');
    },
    'POST /v1/auth/mfa/totp/confirm': async (request: Request) => {
      const body = (await request.json()) as { code: string };
      state.bodies.push(body);
      if (body.code !== '492039') return wrong('code');
      state.lacksFactor = false;
      return Response.json({ object: 'recovery-codes', recovery_codes: CODES });
    },
    ...more,
  };
  return { state, answers };
}

function otherTab(holder: object | null): void {
  const channel = new BroadcastChannel('tollgate-session');
  channel.postMessage({ tab: 2, holder });
  channel.close();
}

describe('enrolment of a required second factor', () => {
  const user = userEvent.setup();
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
  });

  async function toSecret(password: string): Promise<void> {
    const input = await screen.findByLabelText(/^Password/);
    await user.clear(input);
    await user.type(input, password);
    await user.click(screen.getByRole('button', { name: 'Set up an authenticator app' }));
  }
  async function toCodes(): Promise<void> {
    await toSecret('right');
    await user.type(await screen.findByLabelText(/^First code/), '492 039');
    await user.click(screen.getByRole('button', { name: 'Confirm' }));
    await screen.findByText('k3fd-98ah-mm2q-xw7c');
  }
  async function leaveCodes(): Promise<void> {
    const goOn = screen.getByRole<HTMLButtonElement>('button', { name: 'Continue' });
    expect(goOn.disabled).toBe(true);
    await user.click(screen.getByRole('checkbox', { name: 'I have kept them' }));
    await user.click(goOn);
  }

  it('shows the enrolment in place of the requested page, and the page after the recovery codes', async () => {
    const { state, answers } = server();
    const { queries, address } = renderConsole('/w/search/models?q=small', answers);
    await screen.findByRole('heading', { level: 1, name: 'Add a second factor' });
    screen.getByText(/^Acme requires a second factor/);
    expect(screen.queryByRole('navigation')).toBeNull();
    await toSecret('wrong');
    await screen.findByText('The password is wrong.');
    await toSecret('right');
    screen.getByText('S73O 7RU3 BBGX NV6T G2H2 KT7C HPFK PT26');
    const code = screen.getByRole('img', { name: 'QR code for your authenticator app' });
    expect(readQrCode(code)).toBe(ENROLMENT.otpauth_uri);
    expect(screen.getByRole('link', { name: /Open it/ }).getAttribute('href')).toBe(ENROLMENT.otpauth_uri);
    await user.type(screen.getByLabelText(/^First code/), '111111');
    await user.click(screen.getByRole('button', { name: 'Confirm' }));
    await screen.findByText('The code is wrong.');
    await user.clear(screen.getByLabelText(/^First code/));
    await user.type(screen.getByLabelText(/^First code/), '492 039');
    await user.click(screen.getByRole('button', { name: 'Confirm' }));
    await screen.findByText('p2wd-11ah-zz2q-ab3c');
    // A tab that receives the focus reads everything again; the codes must stay visible.
    await act(() => queries.invalidateQueries());
    screen.getByText('p2wd-11ah-zz2q-ab3c');
    await leaveCodes();
    await screen.findByRole('heading', { level: 1, name: 'Models' });
    expect(address()).toBe('/w/search/models?q=small');
    expect(state.bodies).toEqual([
      { password: 'wrong' },
      { password: 'right' },
      { id: ENROLMENT.id, code: '111111' },
      { id: ENROLMENT.id, code: '492039' },
    ]);
    const kept = JSON.stringify([
      queries.getQueryCache().getAll(),
      queries.getMutationCache().getAll(),
      { ...localStorage },
      { ...sessionStorage },
    ]);
    const shown = kept + document.documentElement.outerHTML;
    expect(code.isConnected).toBe(false);
    for (const secret of [SECRET, ...CODES, '"right"']) expect(shown).not.toContain(secret);
  });

  it('shows the enrolment over an open page, which keeps its inputs', async () => {
    const { state, answers } = server();
    state.lacksFactor = false;
    const { queries } = renderConsole('/w/search/keys/new', answers);
    await user.type(await screen.findByLabelText(/^Name/), 'search-prod');
    state.lacksFactor = true;
    act(() => void queries.invalidateQueries());
    await screen.findByRole('dialog', { name: 'Add a second factor' });
    await toCodes();
    await leaveCodes();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('search-prod');
  });

  it('shows the sign-in when another tab signs out, and the page when another tab has added a factor', async () => {
    const { state, answers } = server();
    renderConsole('/w/search/models', answers);
    await screen.findByRole('heading', { level: 1, name: 'Add a second factor' });
    otherTab(null);
    await screen.findByRole('heading', { level: 1, name: 'Sign in' });
    state.lacksFactor = false;
    otherTab({ user: OWNER_SELF.id, organisation: OWNER_SELF.organisation.id });
    await screen.findByRole('heading', { level: 1, name: 'Models' });
  });

  it('lets the user open another organisation instead', async () => {
    const to = jest.spyOn(leave, 'to').mockImplementation();
    const beta = { id: '0198f3a1-0000-7000-8000-0000000000b1', name: 'Beta', role: 'member' as const };
    const self = { ...OWNER_SELF, organisations: [...OWNER_SELF.organisations, beta] };
    const bodies: unknown[] = [];
    const { answers } = server({
      'GET /v1/auth/self': self,
      'POST /v1/auth/organisation': async (request: Request) => {
        bodies.push(await request.json());
        return Response.json({ ...self, organisation: { ...self.organisation, id: beta.id, name: 'Beta' } });
      },
    });
    renderConsole('/w/search/models', answers);
    await user.click(await screen.findByRole('button', { name: 'Open another organisation' }));
    const group = screen.getByRole('group', { name: 'Organisations' });
    expect(within(group).queryByRole('button', { name: /^Acme/ })).toBeNull();
    await user.click(within(group).getByRole('button', { name: /^Beta/ }));
    await waitFor(() => expect(to).toHaveBeenCalledTimes(1));
    expect(bodies).toEqual([{ organisation_id: beta.id }]);
    to.mockRestore();
  });

  it('offers no other organisation when the user has none', async () => {
    const { answers } = server();
    renderConsole('/w/search/models', answers);
    await screen.findByRole('button', { name: 'Sign out' });
    expect(screen.queryByRole('button', { name: 'Open another organisation' })).toBeNull();
  });

  it('lets the user sign out instead', async () => {
    const to = jest.spyOn(leave, 'to').mockImplementation();
    const { answers } = server({ 'POST /v1/auth/logout': {} });
    const { requests } = renderConsole('/w/search', answers);
    await user.click(await screen.findByRole('button', { name: 'Sign out' }));
    await waitFor(() => expect(to).toHaveBeenCalledTimes(1));
    expect(requests).toContain('POST /v1/auth/logout');
    to.mockRestore();
  });

  describe('with a passkey', () => {
    const RESPONSE = { id: 'credential-1', type: 'public-key' };
    class PasskeyStub {
      static parseRequestOptionsFromJSON = (options: object): object => options;
      static parseCreationOptionsFromJSON = (options: object): object => options;
      toJSON = (): object => RESPONSE;
    }
    let create: jest.Mock;
    beforeEach(() => {
      create = jest.fn(() => Promise.resolve(new PasskeyStub()));
      Object.assign(globalThis, { PublicKeyCredential: PasskeyStub });
      Object.defineProperty(navigator, 'credentials', { value: { create }, configurable: true });
    });
    afterEach(() => {
      Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
      Reflect.deleteProperty(navigator, 'credentials');
    });

    it('creates a passkey after the password, and reports a cancelled creation', async () => {
      const bodies: object[] = [];
      const options = { challenge: 'bm9uY2U' };
      const { state, answers } = server({
        'POST /v1/auth/mfa/passkeys/options': { object: 'passkey-options', options },
        'POST /v1/auth/mfa/passkeys': async (request: Request) => {
          bodies.push((await request.json()) as object);
          state.lacksFactor = false;
          return Response.json({ object: 'recovery-codes', recovery_codes: [] });
        },
      });
      renderConsole('/w/search/models', answers);
      create.mockRejectedValueOnce(new DOMException('Cancelled.', 'NotAllowedError'));
      await user.type(await screen.findByLabelText(/^Password/), 'right');
      await user.click(screen.getByRole('button', { name: 'Add a passkey' }));
      await screen.findByText(/^No passkey was made/);
      await user.click(screen.getByRole('button', { name: 'Add a passkey' }));
      // The user's recovery codes stay valid, so none are shown.
      await screen.findByRole('heading', { level: 1, name: 'Models' });
      expect(bodies).toEqual([{ response: RESPONSE }]);
      expect(create).toHaveBeenLastCalledWith({ publicKey: options });
    });
  });
});
