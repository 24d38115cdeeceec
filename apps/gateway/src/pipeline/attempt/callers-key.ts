import { holdsAddress, type CompiledTarget } from '@gw/config-schema';
import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { Provider } from '@gw/providers';
import type { Asked } from '../exchange';

/** The credential of a target that names no saved provider: the config's own, else the caller's. Null: there is none. */
export function inlineKey(exchange: Asked, target: CompiledTarget, provider: Provider): string | null {
  const apiKey = target.apiKey ?? callersKey(exchange, target, provider.id);
  if (apiKey === null && provider.needsCredential && !mayBeKeyless(exchange, target)) {
    throw keyMissing(exchange, provider.id);
  }
  return apiKey;
}

/**
 * The caller's own provider key goes to the provider that the request names, or to that of the config's first target. An address
 * that stands in a saved config was written by another person, so the key does not go there.
 */
function callersKey({ gw, config, configSource }: Asked, target: CompiledTarget, id: string): string | null {
  if (gw.providerKey === null || intendedFor(gw, config) !== id) return null;
  const isAnothers = configSource.slug !== null && gw.customHost === null && hasAddress(target);
  return isAnothers ? null : gw.providerKey;
}

const intendedFor = (gw: Asked['gw'], config: Asked['config']): string | null => {
  if (gw.provider !== null || gw.virtualKey !== null) return gw.provider;
  return config?.targets[0]?.provider ?? null;
};

const hasAddress = ({ customHost, providerFields }: CompiledTarget): boolean =>
  customHost !== null || Object.keys(providerFields).some(holdsAddress);

/**
 * A server of one's own may take no key, and a forwarded header or a query may carry it. Everywhere else a call without a credential
 * is a mistake that the provider would answer less clearly.
 */
const mayBeKeyless = ({ gw, query }: Asked, target: CompiledTarget): boolean =>
  gw.customHost !== null ||
  hasAddress(target) ||
  (gw.forwardHeaders ?? target.forwardHeaders).length > 0 ||
  /[?&]key=/.test(query);

function keyMissing({ gw }: Asked, id: string): GatewayError {
  const rule =
    gw.providerKey === null
      ? `send ${HEADER.apiKey} for the gateway and the provider's key in Authorization`
      : `the key in the request is for another provider; give this target an api_key`;
  return new GatewayError('provider_key_missing', {
    param: 'authorization',
    message: `The provider ${id} needs a key: ${rule}, or name a saved provider as @slug.`,
    extra: { provider: id },
  });
}
