import { isRedirect, OutboundError } from '@gw/outbound';

/**
 * Returns the error for a provider's redirect; null when the status is no redirect. Clients follow
 * redirects automatically and resend all headers that they do not recognise as credentials, so
 * another host would receive the caller's gateway key.
 */
export const redirectError = (status: number): OutboundError | null =>
  isRedirect(status)
    ? new OutboundError('redirected', `The provider responded with a redirect (status ${String(status)}).`)
    : null;
