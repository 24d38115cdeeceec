const PREFIX = '#claim=';

let token: string | null = null;

/**
 * Removes the token of the launcher's link from the address, so that the browser's history does not
 * keep it. Returns whether there was a token. Call it before the router reads the address.
 */
export function takeClaim(): boolean {
  const { hash } = location;
  if (!hash.startsWith(PREFIX)) return false;
  token = hash.slice(PREFIX.length);
  history.replaceState(null, '', new URL('claim', document.baseURI));
  return true;
}

/**
 * Returns the token that `takeClaim` removed; null after the first call, because a token works
 * once.
 */
export function spendClaim(): string | null {
  const taken = token;
  token = null;
  return taken;
}
