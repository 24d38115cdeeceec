const KEY = 'tollgate:sso-binding';
const BEGIN = 'tollgate:sso-begin';
const PATH = /\/login\/sso\/?$/;
/**
 * A path of the console: printable ASCII after one slash; a second slash or a backslash could name
 * another host.
 */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
/** Maximum length of a return path that the API accepts. */
const LENGTH_MAX = 512;

/** Parameters of the redirect from an identity provider. */
export interface SsoReturn {
  readonly code: string;
  /**
   * Secret that belongs to the code: of the login that this tab started, or that the identity
   * provider started. Null when there is neither.
   */
  readonly binding: string | null;
  /** True when the identity provider started the login, so that the user must confirm it. */
  readonly isUnsolicited: boolean;
  /** Path of the console to open after the login. */
  readonly returnTo: string;
}

let taken: SsoReturn | null = null;

/** Returns a path of the console unchanged, and `/` for a text that could name another host. */
export const ownPath = (text: string | null): string => (text !== null && OWN_PATH.test(text) ? text : '/');

/**
 * Return path of a login for an address of the console, without its query when the address is
 * longer than `LENGTH_MAX`.
 */
export function returnPathOf(address: string): string {
  const [path = ''] = address.split(/[?#]/);
  return ownPath(address.length <= LENGTH_MAX ? address : path.length <= LENGTH_MAX ? path : null);
}

/** Stores the proof that this tab started a login. */
export function keepBinding(binding: string): void {
  sessionStorage.setItem(KEY, binding);
}

function spend(key: string): string | null {
  try {
    const text = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return text;
  } catch {
    return null;
  }
}

/**
 * Stores that the user chose a connection in this tab. A window that the tab opens has a copy.
 * Without storage, the page of the login asks the user first.
 */
export function keepBegin(connection: string): void {
  try {
    sessionStorage.setItem(BEGIN, connection);
  } catch {
    // The page asks.
  }
}

/** Whether the user has chosen the connection in this tab. Returns true once. */
export const spendBegin = (connection: string): boolean => spend(BEGIN) === connection;

/**
 * Removes the code of a redirect from the address, so that the browser's history does not keep it.
 * Call it before the router reads the address.
 */
export function takeReturn(): void {
  const query = new URLSearchParams(location.search);
  const code = query.get('code');
  if (code === null || !PATH.test(location.pathname)) return;
  const own = spend(KEY);
  const sent = query.get('login_binding');
  taken = {
    code,
    // A redirect has a binding only when the identity provider started the login. The tab may still
    // have the one of a login that the user has abandoned.
    binding: sent ?? own,
    isUnsolicited: sent !== null,
    returnTo: ownPath(query.get('return_path')),
  };
  history.replaceState(null, '', location.pathname);
}

/**
 * Returns what `takeReturn` removed; null without a redirect and after the first call, because a
 * code works once.
 */
export function spendReturn(): SsoReturn | null {
  const spent = taken;
  taken = null;
  return spent;
}
