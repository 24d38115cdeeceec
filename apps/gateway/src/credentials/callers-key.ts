import { holdsAddress, type CompiledTarget } from '@gw/config-schema';
import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { Provider } from '@gw/providers';
import type { Upstream } from '../core/upstream';
import type { RequestView } from '../core/request-context';

/** What decides where a credential of the caller may go. */
export type Recipient = Pick<Upstream, 'target' | 'provider' | 'saved'>;

/** The credential of a target that names no saved provider: the config's own, else the caller's. Null: there is none. */
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
 * THE rule of what a caller's credential reaches, as its provider key or in a forwarded header: the provider that the request
 * names, or that of the config's first target. An address that a saved config names was written by another person, so it gets none.
 * A saved provider has a credential of its own: it gets the caller's only where the caller named both the provider and the header.
 */
export function isMeantFor({ gw, config, configSource }: RequestView, recipient: Recipient): boolean {
  const { target, provider, saved } = recipient;
  const isOwnConfig = configSource.slug === null;
  if (saved !== null) {
    const namesProvider = target.provider !== null || target.virtualKey !== null;
    return isOwnConfig || (gw.forwardHeaders !== null && !namesProvider);
  }
  if (intendedFor(gw, config) !== provider.id) return false;
  return isOwnConfig || gw.customHost !== null || !hasAddress(target);
}

const intendedFor = (gw: RequestView['gw'], config: RequestView['config']): string | null => {
  if (gw.provider !== null || gw.virtualKey !== null) return gw.provider;
  return config?.targets[0]?.provider ?? null;
};

const hasAddress = ({ customHost, providerFields }: CompiledTarget): boolean =>
  customHost !== null || Object.keys(providerFields).some(holdsAddress);

/**
 * A server of one's own may take no key, and a forwarded header or a query may carry it. Everywhere else a call without a credential
 * is a mistake that the provider would answer less clearly.
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
