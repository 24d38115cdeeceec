const PREFIX = '#claim=';

let token: string | null = null;

/**
 * Takes the token of the launcher's link out of the address, where history would keep it. Returns whether there was one. Call it
 * before the router reads the address.
 */
export function takeClaim(): boolean {
  const { hash } = location;
  if (!hash.startsWith(PREFIX)) return false;
  token = hash.slice(PREFIX.length);
  history.replaceState(null, '', new URL('claim', document.baseURI));
  return true;
}

/** The token that was taken; null after the first call, since it works once. */
export function spendClaim(): string | null {
  const taken = token;
  token = null;
  return taken;
}
