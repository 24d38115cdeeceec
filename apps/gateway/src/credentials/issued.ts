import { readFile } from 'node:fs/promises';
import { IssuedCredentials, ownEndpoints } from '@gw/cloud-identities';
import { VendorError, type AddressPolicy } from '@gw/kernel';
import { createVendorCalls } from '@gw/outbound';
import type { GatewaySettings } from '../settings';

/** Creates the cache of credentials that token services issue. */
export const createIssuedCredentials = (
  settings: GatewaySettings,
  policy: AddressPolicy,
): IssuedCredentials =>
  new IssuedCredentials({
    calls: createVendorCalls({
      policy,
      proxy: { httpProxy: settings.HTTP_PROXY, httpsProxy: settings.HTTPS_PROXY, noProxy: settings.NO_PROXY },
      ownEndpoints: ownEndpoints(settings),
    }),
    settings,
    readFile: textOfFile,
    now: Date.now,
  });

async function textOfFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new VendorError('refused', 'The installation has no such token file.', { cause });
  }
}
