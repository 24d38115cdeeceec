import type { ProviderDocument, ProviderModel } from '@gw/contracts';
import type { RequestView } from '../core/request-context';
import type { Upstream } from '../core/upstream';

/** Returns the saved settings of a provider's model; null when there are none. */
export const modelOf = (saved: ProviderDocument, slug: string): ProviderModel | null =>
  saved.models.find((model) => model.slug === slug) ?? null;

/**
 * Returns the custom host that a call uses instead of the provider's address; null when there is
 * none. For a saved provider it is the saved host; for any other, the request's host or otherwise
 * the target's.
 */
export function customHostOf(
  gw: RequestView['gw'],
  upstream: Pick<Upstream, 'saved' | 'model' | 'credential' | 'target'>,
): string | null {
  return upstream.saved === null ? (gw.customHost ?? upstream.target.customHost) : savedHost(upstream);
}

/** Returns the host saved with the model, or otherwise with the provider. */
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
