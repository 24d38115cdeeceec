const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/;

/** Whether a URL is plain http to this machine, which identity providers in tests and on a developer's machine have. */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(url);

/** Whether no one on the way can read what is sent to a URL: it is https, or plain http to this machine. */
export const isSecureUrl = (url: string): boolean => url.startsWith('https://') || isLoopbackUrl(url);
