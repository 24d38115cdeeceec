import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import type { WorkerSettings } from './settings';

/** Creates a client for addresses that tenants chose; it applies the address policy. */
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
