const DEFAULT_PATH = '/console';

export interface ConsoleUrlSettings {
  readonly CONSOLE_ENABLED: boolean;
  readonly CONSOLE_BASE_PATH: string | null;
  readonly CONSOLE_URL: string | null;
}

/** Returns the path below which the console is served, without a trailing slash. */
export function consolePath({
  CONSOLE_BASE_PATH,
  CONSOLE_URL,
}: Omit<ConsoleUrlSettings, 'CONSOLE_ENABLED'>): string {
  if (CONSOLE_BASE_PATH !== null) return CONSOLE_BASE_PATH;
  const path = CONSOLE_URL === null ? '' : new URL(CONSOLE_URL).pathname.replace(/(?<!\/)\/+$/, '');
  return path === '' ? DEFAULT_PATH : path;
}

/**
 * Returns the URL of the console without a trailing slash; null without `CONSOLE_URL`. When this
 * admin API serves no console, `CONSOLE_URL` is the URL of a console that is hosted elsewhere.
 */
export function consoleUrl(settings: ConsoleUrlSettings): string | null {
  const { CONSOLE_ENABLED: isServed, CONSOLE_URL: url } = settings;
  if (url === null) return null;
  return isServed ? new URL(url).origin + consolePath(settings) : url.replace(/(?<!\/)\/+$/, '');
}
