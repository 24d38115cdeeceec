const PREFIX = '#claim=';

let token: string | null = null;

/**
 * Takes the token out of the link that the launcher prints (`…/console/#claim=<token>`), and
 * replaces the address by that of the claim page, so that the browser's history does not keep the
 * token. Does nothing at other addresses. Call it once at the start, before the router reads the
 * address.
 */
export function takeClaim(): void {
  const { hash } = location;
  if (!hash.startsWith(PREFIX)) return;
  token = hash.slice(PREFIX.length);
  history.replaceState(null, '', new URL('claim', document.baseURI));
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
