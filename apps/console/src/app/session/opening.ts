import type { ResponseOf } from '../../api';
import type { Self } from '../state/session-context';
import { leave } from './leave';
import { keepBinding } from './sso-return';

/**
 * Response to any step of a sign-in. The first step can return every kind that a later step
 * returns.
 */
export type Opened = ResponseOf<'auth_login'>;
export type Challenge = Extract<Opened, { object: 'mfa-challenge' }>;
export type SsoRedirect = Extract<Opened, { object: 'sso-redirect' }>;

/** User of the session that the response opened; null when a further step is needed. */
export const openedBy = (opened: Opened): Self | null => (opened.object === 'user' ? opened : null);

/** Challenge for a second factor; null when the response needs none. */
export const challengeOf = (opened: Opened): Challenge | null =>
  opened.object === 'mfa-challenge' ? opened : null;

/**
 * Continues the sign-in at the identity provider. `again` returns the path of the console where a
 * form may be posted; it is called when the content security policy of this page forbids that.
 */
export function goToProvider(
  { url, fields, login_binding: binding }: SsoRedirect,
  again: () => string,
): void {
  const mayPost = /\/login\/sso\/?$/.test(location.pathname);
  if (fields !== null && !mayPost) return leave.to(again());
  keepBinding(binding);
  if (fields === null) leave.to(url);
  else leave.post(url, fields);
}
