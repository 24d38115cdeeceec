import type { ProviderDocument, ProviderModel } from '@gw/contracts';
import type { RequestView } from '../core/request-context';
import type { Upstream } from '../core/upstream';

/** Returns the saved settings of a provider's model; null when there are none. */
export const modelOf = (saved: ProviderDocument, slug: string): ProviderModel | null =>
  saved.models.find((model) => model.slug === slug) ?? null;

/**
 * The custom host that a call uses instead of the provider's address, or null. A saved provider has only its saved host; any other
 * has the request's, or else the target's.
 */
export function customHostOf(
  gw: RequestView['gw'],
  upstream: Pick<Upstream, 'saved' | 'model' | 'credential' | 'target'>,
): string | null {
  return upstream.saved === null ? (gw.customHost ?? upstream.target.customHost) : savedHost(upstream);
}

/** The host saved with the model, or with the provider. */
function savedHost({
  saved,
  model,
  credential,
}: Pick<Upstream, 'saved' | 'model' | 'credential'>): string | null {
  const byModel = saved && model !== null ? (modelOf(saved, model)?.customHost ?? null) : null;
  if (byModel !== null) return byModel;
  const configured = credential.configurations['custom_host'];
  return typeof configured === 'string' ? configured : null;
}
