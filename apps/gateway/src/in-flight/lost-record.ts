import type { ChargeLine } from '@gw/contracts';
import type { LostUse, LostUses } from '../usage/lost-use';
import type { Upstream } from '../core/upstream';
import { requestedModel } from '../core/requested-model';
import { cacheUseOf } from '../cache/cache-use';
import type { RequestContext } from '../core/request-context';
import { writeLostDecision } from '../record/decision';
import { JsonWriter, fragment } from '../record/json-writer';
import { K } from '../record/keys';
import { GATEWAY_LOST, writeBegun } from './begun-record';
import { configIds, writeMeasures, writeMetadata, writeRequest, writeUpstream } from '../record/log-record';

const OUTCOME = fragment(`,"outcome":"interrupted","errorType":"${GATEWAY_LOST}"`);
const writer = new JsonWriter();

/**
 * The record of a request that ends because its gateway does, made before a provider is called and again while the answer comes: cut
 * off, charged as its estimate. `upstream`: who is called; null: no provider was. Good until the next one is made; `recordOfLine` reads it.
 */
export function lostRecord(
  context: RequestContext,
  upstream: Upstream | null,
  uses: LostUses,
  gatewayId: string,
): Buffer {
  const w = writer;
  const use = upstream === null ? null : uses.of(context, upstream, lineOf(context, upstream));
  if (upstream !== null && use !== null && isFirstCall(context))
    return writeBegun(w, context, upstream, use, gatewayId);
  return writeLost(w, context, upstream, use, gatewayId);
}

const isFirstCall = ({ answer, attempts, alongside }: RequestContext): boolean =>
  answer === null && attempts.length === 0 && alongside === null;

function writeLost(
  w: JsonWriter,
  context: RequestContext,
  upstream: Upstream | null,
  use: LostUse | null,
  gatewayId: string,
): Buffer {
  w.begin();
  writeRequest(w, context);
  w.number(K.status, context.status);
  w.raw(OUTCOME);
  writeCalled(w, upstream, requestedModel(context));
  w.text(K.responseModel, null);
  if (context.streamed) w.boolean(K.streamed, true);
  writeCost(w, use);
  w.text(configIds(context.configSource), upstream?.target.path ?? null);
  const cache = cacheUseOf(context);
  if (cache !== null) w.text(K.cacheStatus, cache.status);
  writeMetadata(w, context.metadata);
  writeMeasures(w, context);
  w.text(K.gatewayId, gatewayId);
  writeLostDecision(w, context, context.answer === null ? upstream : null, use?.charges ?? []);
  return w.end();
}

/** `requested`: the model that the request names. */
function writeCalled(w: JsonWriter, upstream: Upstream | null, requested: string | null): void {
  if (upstream === null) writeUpstream(w, null, null, requested);
  else writeUpstream(w, upstream.provider, upstream.saved, upstream.model ?? requested);
}

function writeCost(w: JsonWriter, use: LostUse | null): void {
  if (use === null) w.raw(K.noUsage);
  else {
    if (use.cost !== null) w.number(K.cost, use.cost);
    w.raw(K.estimated);
  }
}

/** What the call that is in flight is, after those that are over. */
function lineOf({ attempts, answer, madeFor, alongside }: RequestContext, { target }: Upstream): ChargeLine {
  if (madeFor !== null) return 'guardrail';
  if (alongside !== null) return 'hedge';
  const before = answer === null ? attempts.at(-1) : attempts.at(-2);
  if (before === undefined) return 'primary';
  return before.target === target.path ? 'retry' : 'fallback';
}
