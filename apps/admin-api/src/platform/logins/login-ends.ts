import { consoleUrl, type ConsoleUrlSettings } from '../common/console-url';
import type { AdminSettings } from '../../settings';

/** Parameter with which a login by an identity provider returns to a page of ours. */
export const SSO_CODE = 'sso_code';

/** The code for the session, and where the login ends. */
export interface FinishedLogin {
  readonly code: string;
  /** Path of the console. */
  readonly returnPath: string;
  /** Path and query of the page of ours that began the login; absent where a client began it. */
  readonly page?: string;
  /** What a client needs besides the code when no client of ours began the login; else null. */
  readonly binding: string | null;
}

export type LoginEndSettings = ConsoleUrlSettings & Pick<AdminSettings, 'PUBLIC_URL'>;

/** Where the browser goes after a login: to the page that began it, else to the console; null without a console. */
export function endOfLogin(
  { code, returnPath, page, binding }: FinishedLogin,
  settings: LoginEndSettings,
): string | null {
  if (page !== undefined) {
    const url = new URL(page, settings.PUBLIC_URL ?? undefined);
    url.searchParams.set(SSO_CODE, code);
    return url.href;
  }
  const console = consoleUrl(settings);
  if (console === null) return null;
  const parameters = new URLSearchParams({ code, return_path: returnPath });
  if (binding !== null) parameters.set('login_binding', binding);
  return `${console}/login/sso?${parameters.toString()}`;
}
