const DEFAULT_PATH = '/console';

export interface ConsoleUrlSettings {
  readonly CONSOLE_ENABLED: boolean;
  readonly CONSOLE_BASE_PATH: string | null;
  readonly CONSOLE_URL: string | null;
}

/** The path below which the console is served, without a slash at its end. */
export function consolePath({
  CONSOLE_BASE_PATH,
  CONSOLE_URL,
}: Omit<ConsoleUrlSettings, 'CONSOLE_ENABLED'>): string {
  if (CONSOLE_BASE_PATH !== null) return CONSOLE_BASE_PATH;
  const path = CONSOLE_URL === null ? '' : new URL(CONSOLE_URL).pathname.replace(/(?<!\/)\/+$/, '');
  return path === '' ? DEFAULT_PATH : path;
}

/**
 * URL of the console, without a slash at its end. Null without `CONSOLE_URL`. Where the admin API serves no console, `CONSOLE_URL` is that
 * of another one.
 */
export function consoleUrl(settings: ConsoleUrlSettings): string | null {
  const { CONSOLE_ENABLED: isServed, CONSOLE_URL: url } = settings;
  if (url === null) return null;
  return isServed ? new URL(url).origin + consolePath(settings) : url.replace(/(?<!\/)\/+$/, '');
}
