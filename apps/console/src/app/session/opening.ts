import type { AnswerOf } from '../../api';
import type { Self } from '../state/session-context';
import { leave } from './leave';
import { keepBinding } from './sso-return';

/** Any response to a step of a sign-in: those to the other steps are among those to the first. */
export type Opened = AnswerOf<'auth_login'>;
export type Challenge = Extract<Opened, { object: 'mfa-challenge' }>;
export type SsoRedirect = Extract<Opened, { object: 'sso-redirect' }>;

/** The user of a session that a response has opened; null where more is needed. */
export const openedBy = (opened: Opened): Self | null => (opened.object === 'user' ? opened : null);

/** The challenge of a response that needs a second factor; null for any other. */
export const challengeOf = (opened: Opened): Challenge | null =>
  opened.object === 'mfa-challenge' ? opened : null;

/** Goes on at the identity provider. `again`: the path at which a form may be posted, for a page whose policy forbids it. */
export function goToProvider({ url, fields, login_binding: binding }: SsoRedirect, again: string): void {
  const mayPost = /\/login\/sso\/?$/.test(location.pathname);
  if (fields !== null && !mayPost) return leave.to(again);
  keepBinding(binding);
  if (fields === null) leave.to(url);
  else leave.post(url, fields);
}
