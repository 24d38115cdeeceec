import type { ResponseSource } from '@gw/limits';
import type { Upstream } from '../core/upstream';

/**
 * Whose answers a request learns from: those of the same saved provider to the same model, which are its workspace's own. Null: nothing is
 * learned, since the caller picks the host of a provider that is not saved, and what this process answers itself says nothing of a model.
 */
export function sourceOf({
  saved,
  provider,
  model,
}: Pick<Upstream, 'saved' | 'provider' | 'model'>): ResponseSource | null {
  if (saved === null || provider.local !== undefined || model === null) return null;
  const { id, workspaceId, organisationId } = saved;
  return { tenant: { workspaceId, organisationId }, key: `${id} ${model}` };
}
