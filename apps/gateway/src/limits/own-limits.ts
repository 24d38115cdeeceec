import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEADER, type LimitState } from '@gw/contracts';
import { GatewayError, toGatewayError, UNITS_PER_USD } from '@gw/kernel';
import {
  forecastExhaustion,
  isBudget,
  periodAt,
  type Bucket,
  type Ledger,
  type LedgerStore,
} from '@gw/limits';
import { errorBody } from '../reply/error-body';
import { RequestContext, type Stage } from '../core/request-context';
import { routeOf } from '../routes/route-table';
import type { GatewayPrincipal } from '../auth/principals';
import { bucketsOfRequest } from './admission';

const OWN_LIMITS = '/v1/me/limits';

/**
 * Returns the caller's own limits and their usage: those of the key, the workspace, and the policies
 * that apply to a chat completion with the metadata of this request, except policies that depend on
 * the provider. The request counts towards none of them, and is served even if they are exhausted.
 */
export class OwnLimits {
  constructor(
    private readonly ledger: Ledger,
    /** Source of burn rates; null: unknown. */
    private readonly record: LedgerStore | null,
    private readonly accept: Stage,
    private readonly authenticate: Stage,
  ) {}

  handle(id: string, req: IncomingMessage, res: ServerResponse): void {
    const method = req.method ?? 'GET';
    this.respond(id, method, req, res).catch((thrown: unknown) => {
      const error = toGatewayError(thrown);
      send(res, id, error.status, errorBody(error, 'openai', id), error.options.headers ?? {});
    });
  }

  private async respond(
    id: string,
    method: string,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void> {
    if (method !== 'GET' && method !== 'HEAD') {
      throw new GatewayError('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
    }
    const context = new RequestContext(
      id,
      req,
      res,
      method,
      OWN_LIMITS,
      '',
      routeOf('POST', '/chat/completions'),
    );
    await this.accept.run(context);
    await this.authenticate.run(context);
    const { limits } = context.principal as GatewayPrincipal;
    const buckets = limits === null ? [] : bucketsOfRequest(context, limits);
    const states = await this.ledger.states(buckets);
    const rates = await this.burnRates(buckets);
    const data = states.map((state, at) => ({
      ...shown(state),
      ...actsOf(buckets[at] as Bucket),
      ...headingOf(state, rates.get(buckets[at] as Bucket) ?? null),
    }));
    const body = Buffer.from(JSON.stringify({ object: 'list', total: data.length, data }));
    send(res, id, 200, method === 'HEAD' ? null : body, {});
  }

  /** Burn rates are unknown without the durable record; the limits are still returned. */
  private async burnRates(buckets: readonly Bucket[]): Promise<ReadonlyMap<Bucket, number | null>> {
    const budgets = buckets.filter(isBudget);
    const [first] = budgets;
    if (first === undefined || !this.record?.burnRates) return new Map();
    const requested = budgets.map((bucket) => ({ key: bucket.key, since: periodAt(bucket, Date.now()) }));
    const rates = await this.record.burnRates(first.tenant, requested).catch(() => []);
    return new Map(budgets.map((bucket, at) => [bucket, rates[at] ?? null]));
  }
}

/** Burn rate and forecast of a budget; null if unknown, and for rate limits. */
function headingOf({ type, limit, used, resetAt }: LimitState, perDay: number | null): object {
  const resetAtMs = resetAt === null ? null : Date.parse(resetAt);
  const at = forecastExhaustion({ used, limit, perDay, resetAtMs }, Date.now());
  return {
    burn_rate_per_day: perDay === null ? null : publicAmount(type, Math.round(perDay)),
    forecast_exhausted_at: at === null ? null : new Date(at).toISOString(),
  };
}

const publicAmount = (type: string, units: number): number =>
  type === 'cost' ? units / UNITS_PER_USD : units;

function shown({ scope, id, type, limit, used, resetAt }: LimitState): object {
  const amount = (units: number): number => publicAmount(type, units);
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

/** Fields that define the behaviour of a limit; null if it has no such choice. */
function actsOf({ measure, window, strict, onOutage }: Bucket): object {
  const isRate = window.kind === 'fixed' || window.kind === 'sliding';
  const canPass = measure === 'cost' || measure === 'tokens' || window.kind === 'period';
  return {
    window: isRate ? window.kind : null,
    enforcement: canPass ? (strict ? 'strict' : 'standard') : null,
    on_outage: onOutage,
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
