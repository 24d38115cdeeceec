const KEY = 'tollgate:sso-binding';
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
  /** Proof that this tab started the login; null when it did not. */
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

function spendBinding(): string | null {
  try {
    const binding = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return binding;
  } catch {
    return null;
  }
}

/**
 * Removes the code of a redirect from the address, so that the browser's history does not keep it.
 * Call it before the router reads the address.
 */
export function takeReturn(): void {
  const query = new URLSearchParams(location.search);
  const code = query.get('code');
  if (code === null || !PATH.test(location.pathname)) return;
  const own = spendBinding();
  const sent = query.get('login_binding');
  taken = {
    code,
    binding: own ?? sent,
    isUnsolicited: own === null && sent !== null,
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
