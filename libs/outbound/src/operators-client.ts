import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import { BufferedClient } from './buffered';

/** As processes read them from their environment. */
export interface ProxyEnvironment {
  readonly HTTPS_PROXY: string | null;
  readonly HTTP_PROXY: string | null;
  readonly NO_PROXY: string;
}

/**
 * For a service that the operator has named in a setting: its host is trusted however private, and no other one is. Null: only what the
 * whole internet can reach.
 */
export const operatorsClient = (endpoint: string | null, proxy: ProxyEnvironment): BufferedClient =>
  new BufferedClient({
    policy: createAddressPolicy({
      trustedHosts: endpoint === null ? [] : parseTrustedHosts(new URL(endpoint).hostname),
    }),
    proxy: { httpsProxy: proxy.HTTPS_PROXY, httpProxy: proxy.HTTP_PROXY, noProxy: proxy.NO_PROXY },
  });
