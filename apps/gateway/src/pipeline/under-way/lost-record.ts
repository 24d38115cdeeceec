import type { ChargeLine } from '@gw/contracts';
import type { LostUse, LostUses } from '../../limits/lost-use';
import type { Upstream } from '../answer';
import { askedModel } from '../asked-model';
import { cacheUseOf } from '../cache/cache-use';
import type { Exchange } from '../exchange';
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
  exchange: Exchange,
  upstream: Upstream | null,
  uses: LostUses,
  gatewayId: string,
): Buffer {
  const w = writer;
  const use = upstream === null ? null : uses.of(exchange, upstream, lineOf(exchange, upstream));
  if (upstream !== null && use !== null && isFirstCall(exchange))
    return writeBegun(w, exchange, upstream, use, gatewayId);
  return writeLost(w, exchange, upstream, use, gatewayId);
}

const isFirstCall = ({ answer, attempts, alongside }: Exchange): boolean =>
  answer === null && attempts.length === 0 && alongside === null;

function writeLost(
  w: JsonWriter,
  exchange: Exchange,
  upstream: Upstream | null,
  use: LostUse | null,
  gatewayId: string,
): Buffer {
  w.begin();
  writeRequest(w, exchange);
  w.number(K.status, exchange.status);
  w.raw(OUTCOME);
  writeCalled(w, upstream, askedModel(exchange));
  w.text(K.responseModel, null);
  if (exchange.streamed) w.boolean(K.streamed, true);
  writeCost(w, use);
  w.text(configIds(exchange.configSource), upstream?.target.path ?? null);
  const cache = cacheUseOf(exchange);
  if (cache !== null) w.text(K.cacheStatus, cache.status);
  writeMetadata(w, exchange.metadata);
  writeMeasures(w, exchange);
  w.text(K.gatewayId, gatewayId);
  writeLostDecision(w, exchange, exchange.answer === null ? upstream : null, use?.charges ?? []);
  return w.end();
}

/** `asked`: the model that the request names. */
function writeCalled(w: JsonWriter, upstream: Upstream | null, asked: string | null): void {
  if (upstream === null) writeUpstream(w, null, null, asked);
  else writeUpstream(w, upstream.provider, upstream.saved, upstream.model ?? asked);
}

function writeCost(w: JsonWriter, use: LostUse | null): void {
  if (use === null) w.raw(K.noUsage);
  else {
    if (use.cost !== null) w.number(K.cost, use.cost);
    w.raw(K.estimated);
  }
}

/** What the call that is in flight is, after those that are over. */
function lineOf({ attempts, answer, madeFor, alongside }: Exchange, { target }: Upstream): ChargeLine {
  if (madeFor !== null) return 'guardrail';
  if (alongside !== null) return 'hedge';
  const before = answer === null ? attempts.at(-1) : attempts.at(-2);
  if (before === undefined) return 'primary';
  return before.target === target.path ? 'retry' : 'fallback';
}
