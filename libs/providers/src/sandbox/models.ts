import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../provider';
import { CREATED, MODELS } from './request';

const describe = (id: string): JsonObject => ({ id, object: 'model', created: CREATED, owned_by: 'sandbox' });

/** Serves `/models` and `/models/<id>`. */
export function modelsResponse(route: string): JsonObject {
  if (route === '/models') return { object: 'list', data: MODELS.map(describe) };
  const model = MODELS.find((id) => route === `/models/${id}`);
  if (model === undefined) throw new GatewayError('not_found', { message: 'The sandbox has no such model.' });
  return describe(model);
}
