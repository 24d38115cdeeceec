import type { RequestContext } from './request-context';

/** The model that a request asks for: that of its path, where that names one, else that of its body. Null: it names none. */
export const requestedModel = ({ route, scan }: Pick<RequestContext, 'route' | 'scan'>): string | null =>
  route.call === null ? (scan?.model ?? null) : route.call.model;
