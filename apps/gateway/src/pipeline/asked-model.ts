import type { Exchange } from './exchange';

/** The model that a request asks for: that of its path, where that names one, else that of its body. Null: it names none. */
export const askedModel = ({ route, scan }: Pick<Exchange, 'route' | 'scan'>): string | null =>
  route.call === null ? (scan?.model ?? null) : route.call.model;
