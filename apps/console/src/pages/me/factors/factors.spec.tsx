import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { problemResponse, renderConsole, type Answers } from '../../../spec-support/render-console';

const AT = '2026-11-23T14:00:00.000Z';
const PHONE = {
  id: '0198f3a1-0000-7000-8000-0000000000f1',
  type: 'totp',
  name: 'Phone',
  created_at: AT,
  last_used_at: null,
};
const LAPTOP = {
  id: '0198f3a1-0000-7000-8000-0000000000f2',
  type: 'passkey',
  name: 'Laptop',
  created_at: AT,
  last_used_at: AT,
};
const MFA = { object: 'mfa', factors: [PHONE, LAPTOP], recovery_codes_left: 1, session_factor: 'totp' };
const CODES = { object: 'recovery-codes', recovery_codes: ['k3fd-98ah-mm2q-xw7c'] };

describe('page of second factors', () => {
  const user = userEvent.setup();
  let bodies: (readonly [path: string, body: unknown])[];
  beforeEach(() => {
    localStorage.clear();
    bodies = [];
  });
  const keeping = (answer: object) => async (request: Request) => {
    bodies.push([new URL(request.url).pathname, await request.json()]);
    return Response.json(answer);
  };
  const open = async (more: Answers = {}) => {
    const rendered = renderConsole('/me/factors', { 'GET /v1/auth/mfa': MFA, ...more });
    await screen.findByRole('heading', { level: 1, name: 'Second factors' });
    return rendered;
  };
  const inDialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
  const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

  it('lists the factors and renames one', async () => {
    const path = `/v1/auth/mfa/factors/${LAPTOP.id}/rename`;
    await open({ [`POST ${path}`]: keeping({}) });
    const row = await screen.findByRole('row', { name: /^Laptop/ });
    expect(row.textContent).toContain('Passkey');
    screen.getByText('1 code is left.');
    await user.click(within(row).getByRole('button', { name: 'Rename Laptop' }));
    const dialog = await inDialog('Rename');
    await user.clear(dialog.getByLabelText(/^Name/));
    await user.type(dialog.getByLabelText(/^Name/), 'Desk');
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    await isClosed();
    expect(bodies).toEqual([[path, { name: 'Desk' }]]);
  });

  it('removes a factor after the password, and shows a refusal', async () => {
    const path = `/v1/auth/mfa/factors/${PHONE.id}/remove`;
    let isRight = false;
    await open({
      [`POST ${path}`]: (request: Request) =>
        isRight ? keeping({})(request) : problemResponse(401, 'unauthenticated', 'The password is wrong.'),
    });
    await user.click(await screen.findByRole('button', { name: 'Remove Phone' }));
    const dialog = await inDialog('Remove Phone?');
    await user.type(dialog.getByLabelText(/^Password/), 'secret');
    await user.click(dialog.getByRole('button', { name: 'Remove' }));
    await dialog.findByText('The password is wrong.');
    isRight = true;
    await user.click(dialog.getByRole('button', { name: 'Remove' }));
    await isClosed();
    expect(bodies).toEqual([[path, { password: 'secret' }]]);
  });

  it('shows new recovery codes once, and requires a code in a session without a factor', async () => {
    const path = '/v1/auth/mfa/recovery-codes';
    await open({
      'GET /v1/auth/mfa': { ...MFA, session_factor: null },
      [`POST ${path}`]: keeping(CODES),
    });
    await user.click(await screen.findByRole('button', { name: 'New recovery codes' }));
    const dialog = await inDialog('New recovery codes');
    expect(dialog.queryByLabelText(/^Password/)).toBeNull();
    await user.type(dialog.getByLabelText(/^Code/), '492039');
    await user.click(dialog.getByRole('button', { name: 'New recovery codes' }));
    const shown = await inDialog('Recovery codes');
    shown.getByText('k3fd-98ah-mm2q-xw7c');
    await user.keyboard('{Escape}');
    shown.getByText('k3fd-98ah-mm2q-xw7c');
    await user.click(shown.getByRole('checkbox'));
    await user.click(shown.getByRole('button', { name: 'Continue' }));
    await isClosed();
    expect(document.documentElement.outerHTML).not.toContain('k3fd');
    expect(bodies).toEqual([[path, { code: '492039' }]]);
  });

  it('keeps the dialog open while new recovery codes are on their way', async () => {
    let respond = (): void => undefined;
    await open({
      'POST /v1/auth/mfa/recovery-codes': () =>
        new Promise((resolve) => {
          respond = () => resolve(Response.json(CODES));
        }),
    });
    await user.click(await screen.findByRole('button', { name: 'New recovery codes' }));
    const dialog = await inDialog('New recovery codes');
    await user.type(dialog.getByLabelText(/^Password/), 'secret{Enter}');
    await user.keyboard('{Escape}');
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    respond();
    (await inDialog('Recovery codes')).getByText('k3fd-98ah-mm2q-xw7c');
  });

  it('adds the first factor with a name', async () => {
    await open({
      'GET /v1/auth/mfa': { ...MFA, factors: [], recovery_codes_left: 0, session_factor: null },
      'POST /v1/auth/mfa/totp': keeping({
        ...{ object: 'totp-enrolment', id: PHONE.id, secret: 'S73O7RU3', otpauth_uri: 'otpauth://totp/x' },
      }),
      'POST /v1/auth/mfa/totp/confirm': keeping(CODES),
    });
    await screen.findByText('You have no second factor');
    await user.click(screen.getByRole('button', { name: 'Add a second factor' }));
    const dialog = await inDialog('Add a second factor');
    expect(dialog.queryByRole('button', { name: 'Use a code instead' })).toBeNull();
    await user.type(dialog.getByLabelText(/^Name/), 'Phone');
    await user.type(dialog.getByLabelText(/^Password/), 'secret{Enter}');
    await user.type(await dialog.findByLabelText(/^First code/), '492039{Enter}');
    await (await inDialog('Recovery codes')).findByText('k3fd-98ah-mm2q-xw7c');
    expect(bodies).toEqual([
      ['/v1/auth/mfa/totp', { password: 'secret', name: 'Phone' }],
      ['/v1/auth/mfa/totp/confirm', { id: PHONE.id, code: '492039' }],
    ]);
  });

  it('accepts a code instead of the password', async () => {
    const path = '/v1/auth/mfa/recovery-codes';
    await open({ [`POST ${path}`]: keeping(CODES) });
    await user.click(await screen.findByRole('button', { name: 'New recovery codes' }));
    const dialog = await inDialog('New recovery codes');
    await user.click(dialog.getByRole('button', { name: 'Use a code instead' }));
    await user.type(dialog.getByLabelText(/^Code/), '492039{Enter}');
    await inDialog('Recovery codes');
    expect(bodies).toEqual([[path, { code: '492039' }]]);
  });
});
