import { isRedirect, OutboundError } from '@gw/outbound';

/**
 * The error for a provider's redirect; null: the status is none. Clients follow a redirect by themselves and take along all headers
 * that they do not know for credentials, so that the other address would get the caller's gateway key.
 */
export const redirectError = (status: number): OutboundError | null =>
  isRedirect(status)
    ? new OutboundError('redirected', `The provider answered with status ${String(status)}, a redirect.`)
    : null;
