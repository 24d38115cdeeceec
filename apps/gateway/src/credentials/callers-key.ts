import { holdsAddress } from '@gw/config-schema';
import type { CompiledTarget } from '@gw/routing';
import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { Provider } from '@gw/providers';
import type { Upstream } from '../core/upstream';
import type { RequestView } from '../core/request-context';

/** The destination of a call. It determines whether the caller's credential may be sent. */
export type Recipient = Pick<Upstream, 'target' | 'provider' | 'saved'>;

/**
 * Credential of a target without a saved provider: the config's own, or else the caller's. Null
 * when there is none and none is needed. Throws when the provider needs one.
 */
export function inlineKey(context: RequestView, target: CompiledTarget, provider: Provider): string | null {
  const apiKey = target.apiKey ?? callersKey(context, { target, provider, saved: null });
  if (apiKey === null && provider.needsCredential && !mayBeKeyless(context, target)) {
    throw keyMissing(context, provider.id);
  }
  return apiKey;
}

const callersKey = (context: RequestView, recipient: Recipient): string | null =>
  context.gw.providerKey !== null && isMeantFor(context, recipient) ? context.gw.providerKey : null;

/**
 * The one rule for where a caller's credential may go, as provider key or in a forwarded header: to
 * the provider that the request names, or else that of the config's first target. It never goes to
 * an address of a saved config, which another person wrote. A saved provider has its own credential
 * and gets the caller's only when the caller named both the provider and the header.
 */
export function isMeantFor({ gw, config, configSource }: RequestView, recipient: Recipient): boolean {
  const { target, provider, saved } = recipient;
  const isOwnConfig = configSource.slug === null;
  if (saved !== null) {
    const namesProvider = target.provider !== null || target.virtualKey !== null;
    return isOwnConfig || (gw.forwardHeaders !== null && !namesProvider);
  }
  const intended = intendedFor(gw, config);
  if (intended === null || !isNamed(provider, intended)) return false;
  return isOwnConfig || gw.customHost !== null || !hasAddress(target);
}

const isNamed = ({ id, aliases = [] }: Provider, name: string): boolean =>
  id === name || aliases.includes(name);

const intendedFor = (gw: RequestView['gw'], config: RequestView['config']): string | null => {
  if (gw.provider !== null || gw.virtualKey !== null) return gw.provider;
  return config?.targets[0]?.provider ?? null;
};

const hasAddress = ({ customHost, providerFields }: CompiledTarget): boolean =>
  customHost !== null || Object.keys(providerFields).some(holdsAddress);

/**
 * True when a call without a key may succeed: a self-hosted server may need none, or a forwarded
 * header or the query may carry it. In all other cases the gateway's own error is clearer than the
 * provider's.
 */
const mayBeKeyless = ({ gw, query }: RequestView, target: CompiledTarget): boolean =>
  gw.customHost !== null ||
  hasAddress(target) ||
  (gw.forwardHeaders ?? target.forwardHeaders).length > 0 ||
  /[?&]key=/.test(query);

function keyMissing({ gw }: RequestView, id: string): GatewayError {
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
