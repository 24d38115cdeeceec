import { consolePath, consoleUrl, type ConsoleUrlSettings } from '../common/console-url';
import type { AdminSettings } from '../../settings';

/**
 * Query parameter with the code of a login by an identity provider that returns to a page of the
 * admin API.
 */
export const SSO_CODE = 'sso_code';

/** The code for the session, and the place to which the browser returns. */
export interface FinishedLogin {
  readonly code: string;
  /** Path in the console. */
  readonly returnPath: string;
  /** Path and query of the admin API's page that began the login; absent when a client began it. */
  readonly page?: string;
  /** True when the console that this admin API serves began the login. */
  readonly isOfConsole?: boolean;
  /**
   * Secret that the client sends with the code when the identity provider began the login; null
   * when the client already has it.
   */
  readonly binding: string | null;
}

export type LoginEndSettings = ConsoleUrlSettings & Pick<AdminSettings, 'PUBLIC_URL'>;

/**
 * Returns the URL to which the browser goes after a login: that of the page that began it, else of
 * the console. Without `CONSOLE_URL` only a login that a console began returns to one: at its path,
 * on the host to which the identity provider has sent the browser. Returns null when there is no
 * such URL; the client then gets the code.
 */
export function endOfLogin(
  { code, returnPath, page, binding, isOfConsole = false }: FinishedLogin,
  settings: LoginEndSettings,
): string | null {
  if (page !== undefined) {
    const url = new URL(page, settings.PUBLIC_URL ?? undefined);
    url.searchParams.set(SSO_CODE, code);
    return url.href;
  }
  const served = isOfConsole && settings.CONSOLE_ENABLED ? consolePath(settings) : null;
  const console = consoleUrl(settings) ?? served;
  if (console === null) return null;
  const parameters = new URLSearchParams({ code, return_path: returnPath });
  if (binding !== null) parameters.set('login_binding', binding);
  return `${console}/login/sso?${parameters.toString()}`;
}
