import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import { BufferedClient } from './buffered';

/** The proxy variables as processes read them from their environment. */
export interface ProxyEnvironment {
  readonly HTTPS_PROXY: string | null;
  readonly HTTP_PROXY: string | null;
  readonly NO_PROXY: string;
}

/**
 * Creates a client for a service that the operator has configured. It trusts the endpoint's host
 * even if it is private, and no other private host. With null, it reaches only public addresses.
 */
export const operatorsClient = (endpoint: string | null, proxy: ProxyEnvironment): BufferedClient =>
  new BufferedClient({
    policy: createAddressPolicy({
      trustedHosts: endpoint === null ? [] : parseTrustedHosts(new URL(endpoint).hostname),
    }),
    proxy: { httpsProxy: proxy.HTTPS_PROXY, httpProxy: proxy.HTTP_PROXY, noProxy: proxy.NO_PROXY },
  });
