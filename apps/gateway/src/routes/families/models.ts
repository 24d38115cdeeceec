import { SCOPES, get, remove, route, type RouteRow } from '../route-rows';

const MODEL = '/models/{model}';

/** Models of the provider. */
export const models: readonly RouteRow[] = [
  route('GET', '/models', 'models', 'models', 'List models', { scopes: [...SCOPES, 'virtual_keys.list'] }),
  get(MODEL, 'models', 'Get a model'),
  remove(MODEL, 'models', 'Delete a fine-tuned model'),
];
