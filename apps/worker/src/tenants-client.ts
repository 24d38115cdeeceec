import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import type { WorkerSettings } from './settings';

/** A client for addresses that tenants have chosen, under the address policy. */
export const tenantsClient = ({
  TRUSTED_CUSTOM_HOSTS,
  HTTP_PROXY,
  HTTPS_PROXY,
  NO_PROXY,
}: WorkerSettings): BufferedClient =>
  new BufferedClient({
    policy: createAddressPolicy({ trustedHosts: parseTrustedHosts(TRUSTED_CUSTOM_HOSTS) }),
    proxy: { httpProxy: HTTP_PROXY, httpsProxy: HTTPS_PROXY, noProxy: NO_PROXY },
  });
