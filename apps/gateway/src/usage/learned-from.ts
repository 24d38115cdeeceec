import type { ResponseSource } from '@gw/limits';
import type { Upstream } from '../core/upstream';

/**
 * Returns the group of responses that estimates learn from: those of the same saved provider and
 * model, which belong to one workspace. Returns null when nothing is learned: the caller chooses
 * the host of an unsaved provider, and a local response does not represent a model.
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
