import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEADER, type LimitState } from '@gw/contracts';
import { GatewayError, toGatewayError } from '@gw/kernel';
import type { Ledger } from '@gw/limits';
import { errorBody } from '../http/error-body';
import { Exchange, type Stage } from '../pipeline/exchange';
import { routeOf } from '../routes/route-table';
import type { Principal } from '../state/principals';
import { bucketsOfRequest } from './admission';

const OWN_LIMITS = '/v1/me/limits';
const UNITS_PER_USD = 100_000_000;

/** Tells a caller where its own limits stand. It takes from none of them, and an exhausted caller may ask too. */
export class OwnLimits {
  constructor(
    private readonly ledger: Ledger,
    private readonly accept: Stage,
    private readonly authenticate: Stage,
  ) {}

  handle(id: string, req: IncomingMessage, res: ServerResponse): void {
    const method = req.method ?? 'GET';
    this.answer(id, method, req, res).catch((thrown: unknown) => {
      const error = toGatewayError(thrown);
      send(res, id, error.status, errorBody(error, 'openai', id), error.options.headers ?? {});
    });
  }

  private async answer(id: string, method: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (method !== 'GET' && method !== 'HEAD') {
      throw new GatewayError('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
    }
    const exchange = new Exchange(id, req, res, method, OWN_LIMITS, '', routeOf('POST', '/chat/completions'));
    await this.accept.run(exchange);
    await this.authenticate.run(exchange);
    const { limits } = exchange.principal as Principal;
    const states = limits === null ? [] : await this.ledger.states(bucketsOfRequest(exchange, limits));
    const body = Buffer.from(
      JSON.stringify({ object: 'list', total: states.length, data: states.map(shown) }),
    );
    send(res, id, 200, method === 'HEAD' ? null : body, {});
  }
}

function shown({ scope, id, type, limit, used, resetAt }: LimitState): object {
  const amount = (units: number): number => (type === 'cost' ? units / UNITS_PER_USD : units);
  return {
    scope,
    id,
    type,
    limit: amount(limit),
    used: amount(used),
    remaining: amount(Math.max(0, limit - used)),
    resets_at: resetAt,
  };
}

function send(
  res: ServerResponse,
  id: string,
  status: number,
  body: Buffer | null,
  headers: Readonly<Record<string, string>>,
): void {
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    [HEADER.requestId]: id,
    ...headers,
  });
  res.end(body ?? undefined);
}
