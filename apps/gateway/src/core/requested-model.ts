import type { RequestContext } from './request-context';

/**
 * The model that a request names in its path, or otherwise in its body. Null when it names none.
 */
export const requestedModel = ({ route, scan }: Pick<RequestContext, 'route' | 'scan'>): string | null =>
  route.call === null ? (scan?.model ?? null) : route.call.model;
