export { createReadModel, type CreateReadModelOptions } from './create-read-model';
export { HttpControlPlane, type HttpControlPlaneOptions } from './http-control-plane';
export type { ReadModelLimits } from './bounds';
export type {
  DocumentSource,
  EventListener,
  EventSource,
  FoundDocument,
  Subscription,
  WantedDocument,
} from './ports';
export { ReadModel, type ChangeListener, type ReadModelOptions, type ReadModelState } from './read-model';
export { RedisControlPlane, type RedisControlPlaneOptions } from './redis-control-plane';
export { ReadModelUnavailable } from './unavailable';
