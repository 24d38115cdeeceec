const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/;

/**
 * Returns whether a URL uses plain HTTP to this machine, as identity providers in tests and on a
 * developer's machine do.
 */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(url);

/**
 * Returns whether requests to a URL cannot be read on the network: it uses HTTPS, or plain HTTP to
 * this machine.
 */
export const isSecureUrl = (url: string): boolean => url.startsWith('https://') || isLoopbackUrl(url);
