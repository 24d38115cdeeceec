import { consolePath, consoleUrl, type ConsoleUrlSettings } from '../common/console-url';
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
  /** True: the console that this admin API serves began the login. */
  readonly isOfConsole?: boolean;
  /** Secret that the client sends with the code when no client of ours began the login; else null. */
  readonly binding: string | null;
}

export type LoginEndSettings = ConsoleUrlSettings & Pick<AdminSettings, 'PUBLIC_URL'>;

/**
 * Where the browser goes after a login: to the page that began it, else to the console. Without `CONSOLE_URL` only a login that a console
 * began ends in one: at its path, on the host to which the identity provider has sent the browser. Null: nowhere, the client gets the code.
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
