import { NO_DEMAND } from '@gw/providers';
import type { RequestContext, Stage } from '../core/request-context';
import { modelInQuery } from './model-query';

/**
 * Replaces the stage that reads a body. A WebSocket request names its model in the query, and
 * conditions see the query as `params`.
 */
export class QueryModelStage implements Stage {
  readonly name = 'receive';

  run(context: RequestContext): void {
    const query = new URLSearchParams(context.query);
    context.scan = {
      model: modelInQuery(query),
      stream: true,
      needsParse: false,
      modelSpan: null,
      output: NO_DEMAND,
    };
    context.json(() => Object.fromEntries(query));
  }
}
