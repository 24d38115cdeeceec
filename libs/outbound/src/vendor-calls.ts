import { VendorError, type AddressPolicy, type VendorCall, type VendorCalls } from '@gw/kernel';
import { BufferedClient } from './buffered';
import type { ProxySettings } from './proxy';
import { OutboundError } from './types';

export interface VendorCallOptions {
  /** Checks every address that a tenant can choose. */
  readonly policy: AddressPolicy;
  readonly proxy?: ProxySettings;
  /** URLs that the operator set; their hosts may be private. */
  readonly ownEndpoints: readonly (string | null)[];
}

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 262_144;

/** Creates the calls to services that keep secrets or issue credentials. */
export function createVendorCalls({ policy, proxy, ownEndpoints }: VendorCallOptions): VendorCalls {
  const through = proxy ? { proxy } : {};
  return {
    tenants: callWith(new BufferedClient({ policy, ...through })),
    vendors: callWith(new BufferedClient({ policy: withOwn(policy, ownEndpoints), ...through })),
    machine: callWith(new BufferedClient({ policy: ANY_ADDRESS })),
  };
}

const ANY_ADDRESS: AddressPolicy = {
  checkUrl: (url) => ({ ok: true, url: new URL(String(url)) }),
  checkAddress: () => ({ ok: true }),
};

/**
 * Also allows endpoints from the settings, which may be private because the operator chose them.
 */
function withOwn(policy: AddressPolicy, endpoints: VendorCallOptions['ownEndpoints']): AddressPolicy {
  const own = endpoints.flatMap((endpoint) => (endpoint === null ? [] : [new URL(endpoint)]));
  const origins = new Set(own.map(({ origin }) => origin));
  const isOwn = (url: unknown): url is string =>
    typeof url === 'string' && URL.canParse(url) && origins.has(new URL(url).origin);
  return {
    checkUrl: (url) => (isOwn(url) ? { ok: true, url: new URL(url) } : policy.checkUrl(url)),
    checkAddress: (ip, host) =>
      own.some(({ hostname }) => hostname === host) ? { ok: true } : policy.checkAddress(ip, host),
  };
}

const callWith =
  (client: BufferedClient): VendorCall =>
  async (request) => {
    try {
      const { status, body } = await client.fetchBuffered({
        ...request,
        totalTimeoutMs: TIMEOUT_MS,
        bytesMax: RESPONSE_BYTES_MAX,
      });
      return { status, text: body.toString('utf8') };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.failure === 'refused')
        throw new VendorError('refused', `The address is not allowed: ${error.message}`);
      throw new VendorError('unreachable', 'The service could not be reached.', { cause: error });
    }
  };
