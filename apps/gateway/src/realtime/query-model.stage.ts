import { NO_DEMAND } from '@gw/providers';
import type { Exchange, Stage } from '../pipeline/exchange';
import { modelInQuery } from './model-query';

/** Takes the place of reading a body: a WebSocket names its model in the query, and conditions see the query as `params`. */
export class QueryModelStage implements Stage {
  readonly name = 'receive';

  run(exchange: Exchange): void {
    const query = new URLSearchParams(exchange.query);
    exchange.scan = {
      model: modelInQuery(query),
      stream: true,
      needsParse: false,
      modelSpan: null,
      output: NO_DEMAND,
    };
    exchange.json(() => Object.fromEntries(query));
  }
}
