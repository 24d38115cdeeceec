const KEY = 'tollgate:sso-binding';
const PATH = /\/login\/sso\/?$/;
/** A path of the console: printable ASCII after one slash; a second slash or a backslash could name another host. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
/** As the API allows it. */
const LENGTH_MAX = 512;

/** With what an identity provider has sent the browser back. */
export interface SsoReturn {
  readonly code: string;
  /** Null: this tab did not begin the login. */
  readonly binding: string | null;
  /** True: the identity provider began the login, so the user must confirm it here. */
  readonly isUnsolicited: boolean;
  /** Where the login ends, below the console. */
  readonly returnTo: string;
}

let taken: SsoReturn | null = null;

/** The path itself, or the root for a text that could lead anywhere else. */
export const ownPath = (text: string | null): string => (text !== null && OWN_PATH.test(text) ? text : '/');

/** The path of an address below the console to which a login may return; without its search when it is long. */
export function returnPathOf(address: string): string {
  const [path = ''] = address.split(/[?#]/);
  return ownPath(address.length <= LENGTH_MAX ? address : path.length <= LENGTH_MAX ? path : null);
}

/** Keeps for this tab what proves that it began a login. */
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

/** Takes the code of a return out of the address, where history would keep it. Call it before the router reads the address. */
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

/** The return that was taken; null without one, and after the first call, since it works once. */
export function spendReturn(): SsoReturn | null {
  const spent = taken;
  taken = null;
  return spent;
}
