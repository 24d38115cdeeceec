const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/;

/** Whether a URL is plain http to this machine, which identity providers in tests and on a developer's machine have. */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(url);
