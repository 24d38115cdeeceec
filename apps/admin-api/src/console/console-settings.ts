import { feature, optional, text, type Setting } from '@gw/kernel';

const DEFAULT_PATH = '/console';
/** First segments of paths that serve other things. */
const TAKEN = ['v1', 'v2', 'docs', 'health', 'openapi.json', 'openapi.yaml', 'oauth', 'mcp', '.well-known'];
const PATH = /^(?:\/[A-Za-z0-9._~-]+)+$/;

const basePath: Setting<string> = {
  fallback: undefined,
  parse: (value) => {
    if (!PATH.test(value)) throw new Error('must be a path such as /console, without a slash at its end');
    const [, first = ''] = value.split('/');
    if (TAKEN.includes(first) || first.startsWith('.'))
      throw new Error(`cannot begin with /${first}, which serves something else`);
    return value;
  },
};

/** Settings of the console that the admin API serves. */
export const CONSOLE_SETTINGS = {
  /** OFF: the admin API serves no console. */
  CONSOLE_ENABLED: feature(),
  /** Path of the console in browsers and here; the path of CONSOLE_URL when absent, else /console. */
  CONSOLE_BASE_PATH: optional(basePath),
  /** Folder of the built console; the one of this build when absent. */
  CONSOLE_DIR: optional(text()),
};

/** The path below which the console is served, without a slash at its end. */
export function consolePath({
  CONSOLE_BASE_PATH,
  CONSOLE_URL,
}: {
  readonly CONSOLE_BASE_PATH: string | null;
  readonly CONSOLE_URL: string | null;
}): string {
  if (CONSOLE_BASE_PATH !== null) return CONSOLE_BASE_PATH;
  const path = CONSOLE_URL === null ? '' : new URL(CONSOLE_URL).pathname.replace(/(?<!\/)\/+$/, '');
  return path === '' ? DEFAULT_PATH : path;
}

export interface ConsoleUrlSettings {
  readonly CONSOLE_ENABLED: boolean;
  readonly CONSOLE_BASE_PATH: string | null;
  readonly CONSOLE_URL: string | null;
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
