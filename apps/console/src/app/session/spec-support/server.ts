import { OWNER_PERMISSIONS, OWNER_SELF } from '../../../spec-support/answers';
import { problemResponse, type Answers } from '../../../spec-support/render-console';

export const CONNECTION = {
  sso_client_id: '0198f3a1-0000-7000-8000-0000000000a1',
  name: 'Okta',
  type: 'oidc',
  organisation_id: OWNER_SELF.organisation.id,
};
export const REDIRECT = {
  object: 'sso-redirect',
  url: 'https://idp.example.org/authorize?state=1',
  fields: null,
  type: 'oidc',
  login_binding: 'binding-of-this-tab',
  linked_sso: [CONNECTION],
};
export const CHALLENGE = {
  object: 'mfa-challenge',
  challenge: 'challenge-1',
  factors: ['totp', 'recovery_code'],
  expires_at: '2026-11-28T12:05:00.000Z',
};
export const BETA = { id: '0198f3a1-0000-7000-8000-0000000000b1', name: 'Beta', role: 'member' };

/** Stub responses of a server whose session can be opened, ended and changed through `state`. */
export function server(more: Answers = {}) {
  const state = { isOpen: false, self: OWNER_SELF as object, bodies: [] as unknown[] };
  const ifOpen = (body: () => unknown) => () =>
    state.isOpen ? Response.json(body()) : problemResponse(401, 'unauthenticated', 'Log in.');
  const opens = async (request: Request): Promise<Response> => {
    state.bodies.push(await request.json());
    state.isOpen = true;
    return Response.json(state.self);
  };
  const answers: Answers = {
    'GET /v1/auth/self': ifOpen(() => state.self),
    'GET /v1/auth/permissions': ifOpen(() => OWNER_PERMISSIONS),
    'POST /v1/auth/sso/exchange': opens,
    'POST /v1/auth/login': opens,
    'POST /v1/auth/login/mfa': opens,
    ...more,
  };
  return { state, answers };
}
