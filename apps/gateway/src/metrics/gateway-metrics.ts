import type { PolicyValues } from '@gw/limits';
import type { OutboundClient } from '@gw/outbound';
import type { RoutingState } from '@gw/routing';
import type { Journal, JournalStats, LogShipper } from '@gw/telemetry';
import type { ReadModel } from '@gw/read-model';
import { Exposition, processMetrics } from '@gw/web';
import type { Overload } from '../health/overload';
import type { ChargesAlone } from '../record/charges-alone';
import type { RefusedRequests } from '../record/refused-requests';
import type { ProviderCounts, RequestMetrics } from './request-metrics';

/** 1e-8 USD. */
const UNITS_PER_USD = 1e8;

export interface GatewayParts {
  readonly journal: Pick<Journal, 'stats'>;
  readonly shipper: Pick<LogShipper, 'stats'>;
  readonly chargesAlone: Pick<ChargesAlone, 'stats'>;
  readonly orphans: { readonly sealedCount: number };
  readonly documents: Pick<ReadModel, 'state'>;
  readonly routing: Pick<RoutingState, 'health'>;
  readonly refused: Pick<RefusedRequests, 'counts' | 'unlogged'>;
  readonly overload: Pick<Overload, 'level' | 'refused'>;
  readonly policyValues: Pick<PolicyValues, 'shared'>;
  readonly outbound: Pick<OutboundClient, 'stats'>;
}

/** Writes all metrics of a gateway process, on request. */
export function gatewayMetrics(requests: RequestMetrics, parts: GatewayParts): () => Promise<string> {
  const registry = processMetrics();
  return async () => {
    const out = new Exposition();
    writeRequests(out, requests);
    writeParts(out, parts);
    return out.text() + (await registry.metrics());
  };
}

function writeRequests(out: Exposition, requests: RequestMetrics): void {
  const all = [...requests.providers()];
  const models = all.flatMap((counts) => [...counts.models.values()].map((model) => ({ counts, model })));
  out.family('tollgate_requests_total', 'counter', 'Requests that ended, by what the client got.');
  for (const { counts, model } of models) {
    for (const [status, { count }] of model.statuses)
      out.sample('tollgate_requests_total', count, {
        ...labelsOf(counts),
        model: model.model,
        status: String(status),
      });
  }
  out.family(
    'tollgate_request_duration_seconds',
    'histogram',
    'From the first byte of a request to the end of its answer.',
  );
  for (const counts of all)
    out.histogram('tollgate_request_duration_seconds', counts.durations, labelsOf(counts));
  out.family(
    'tollgate_time_to_first_byte_seconds',
    'histogram',
    'Until the first byte of the answer: of a stream, its first token.',
  );
  for (const counts of all)
    out.histogram('tollgate_time_to_first_byte_seconds', counts.firstBytes, labelsOf(counts));
  out.family(
    'tollgate_overhead_seconds',
    'histogram',
    'What the gateway itself took, without waiting for provider and client.',
  );
  out.histogram('tollgate_overhead_seconds', requests.overhead);
  out.family('tollgate_tokens_total', 'counter', 'Tokens, as providers tell them.');
  for (const { counts, model } of models) {
    const labels = { ...labelsOf(counts), model: model.model };
    out.sample('tollgate_tokens_total', model.inputTokens, { ...labels, direction: 'input' });
    out.sample('tollgate_tokens_total', model.outputTokens, { ...labels, direction: 'output' });
  }
  out.family(
    'tollgate_cost_usd_total',
    'counter',
    'What requests cost, in US dollars, as far as prices are known.',
  );
  for (const { counts, model } of models)
    out.sample('tollgate_cost_usd_total', model.cost / UNITS_PER_USD, {
      ...labelsOf(counts),
      model: model.model,
    });
  writeCounts(out, requests);
}

const labelsOf = ({ route, provider }: ProviderCounts): { route: string; provider: string } => ({
  route,
  provider,
});

function writeCounts(out: Exposition, requests: RequestMetrics): void {
  const families = [
    ['tollgate_outcomes_total', 'outcome', 'Requests by how they ended.', requests.outcomes],
    [
      'tollgate_broken_responses_total',
      'outcome',
      'Requests that failed after a status below 400 was sent, by how they ended.',
      requests.broken,
    ],
    [
      'tollgate_errors_total',
      'type',
      'Errors of the gateway itself, refusals by limits among them.',
      requests.errors,
    ],
    ['tollgate_cache_total', 'status', 'Requests by what the cache did for them.', requests.cache],
    [
      'tollgate_routing_events_total',
      'event',
      'Breakers, hedges, and what else routing took into account.',
      requests.routing,
    ],
  ] as const;
  for (const [name, label, help, counts] of families) {
    out.family(name, 'counter', help);
    for (const [value, count] of counts) out.sample(name, count, { [label]: value });
  }
  out.family('tollgate_attempts_total', 'counter', 'Calls of providers, by how they ended.');
  for (const [provider, ends] of requests.attempts)
    for (const [end, count] of ends) out.sample('tollgate_attempts_total', count, { provider, end });
}

function writeRefused(out: Exposition, { counts, unlogged }: GatewayParts['refused']): void {
  out.family(
    'tollgate_refused_requests_total',
    'counter',
    'Requests without a usable key, by reason: missing, unknown, ended, expired, unusable, other.',
  );
  for (const [reason, count] of counts) out.sample('tollgate_refused_requests_total', count, { reason });
  out.single(
    'tollgate_refused_requests_unlogged_total',
    'counter',
    'Those of them that have no log record, because there were too many in a minute.',
    unlogged,
  );
}

function writeParts(
  out: Exposition,
  { journal, shipper, orphans, documents, routing, overload, outbound, ...counted }: GatewayParts,
): void {
  const { refused, policyValues, chargesAlone } = counted;
  writeChargesAlone(out, chargesAlone);
  writeRefused(out, refused);
  writeLoad(out, overload, outbound);
  out.single(
    'tollgate_policy_values_shared_total',
    'counter',
    'Limits that were counted together with others, because a policy has too many values.',
    policyValues.shared,
  );
  const { open, known } = routing.health.counts(Date.now());
  out.single('tollgate_breakers_open', 'gauge', 'Endpoints that are left alone for now.', open);
  out.single('tollgate_breakers_known', 'gauge', 'Endpoints that have a breaker.', known);
  writeJournal(out, journal.stats(), orphans.sealedCount);
  const { shipped, failedSends, failingSince } = shipper.stats();
  out.single('tollgate_journal_shipped_total', 'counter', 'Log records that a worker has taken.', shipped);
  out.single(
    'tollgate_journal_failed_sends_total',
    'counter',
    'Batches that must be sent again.',
    failedSends,
  );
  const failing = failingSince === null ? 0 : 1;
  out.single(
    'tollgate_journal_shipping_failing',
    'gauge',
    '1 while log records can not be shipped.',
    failing,
  );
  const { verified, entries } = documents.state();
  out.single(
    'tollgate_read_model_verified',
    'gauge',
    '1 while changes of settings are heard.',
    verified ? 1 : 0,
  );
  out.single('tollgate_read_model_documents', 'gauge', 'Documents in memory.', entries);
}

function writeChargesAlone(out: Exposition, chargesAlone: GatewayParts['chargesAlone']): void {
  const { sent, waiting, lost } = chargesAlone.stats();
  const name = 'tollgate_charges_alone_total';
  out.family(name, 'counter', 'Charges of requests whose log record was dropped: sent without it, or lost.');
  out.sample(name, sent, { result: 'sent' }).sample(name, lost, { result: 'lost' });
  out.single('tollgate_charges_alone_waiting', 'gauge', 'Those of them that are to be sent.', waiting);
}

function writeLoad(
  out: Exposition,
  { level, refused }: GatewayParts['overload'],
  outbound: GatewayParts['outbound'],
): void {
  out.single('tollgate_overload_level', 'gauge', '1: large bodies are refused; 2: all requests are.', level);
  out.single('tollgate_overload_refused_total', 'counter', 'Requests refused because of overload.', refused);
  const { connections, idleConnections, waiting } = outbound.stats();
  out.single('tollgate_provider_connections', 'gauge', 'Open connections to providers.', connections);
  out.single('tollgate_provider_connections_idle', 'gauge', 'Those without a call.', idleConnections);
  out.single(
    'tollgate_provider_calls_waiting',
    'gauge',
    'Calls that wait for a connection, because all connections to the provider are in use.',
    waiting,
  );
}

function writeJournal(out: Exposition, log: JournalStats, sealedCount: number): void {
  const gauge = (name: string, help: string, value: number): void => {
    out.single(`tollgate_journal_${name}`, 'gauge', help, value);
  };
  gauge('backlog_bytes', 'Log records that wait to be shipped.', log.backlogBytes);
  gauge('disk_bytes', 'What the journal takes on the disk.', log.diskBytes);
  const waitingMs = log.oldestAtMs === null ? 0 : Math.max(0, Date.now() - log.oldestAtMs);
  gauge('oldest_seconds', 'Age of the oldest log record that is not shipped.', waitingMs / 1_000);
  gauge('unwritten', 'Log records in memory that the disk has refused so far.', log.unwritten);
  gauge('sealed_journals', 'Journals of ended gateways that another key has sealed.', sealedCount);
  out.single('tollgate_journal_appended_total', 'counter', 'Log records written.', log.appended);
  const damaged = 'tollgate_journal_damaged';
  out.single(`${damaged}_bytes_total`, 'counter', 'Bytes that could not be read again.', log.damagedBytes);
  out.single(
    `${damaged}_records_total`,
    'counter',
    'Log records that were written and are missing, by their numbers.',
    log.damagedRecords,
  );
  const dropped = 'tollgate_journal_dropped_total';
  out.family(dropped, 'counter', 'Log records that are lost, by why.');
  out.sample(dropped, log.droppedAtCap, { reason: 'cap' });
  out.sample(dropped, log.droppedByDisk, { reason: 'disk' });
  out.sample(dropped, log.droppedOversized, { reason: 'oversized' });
}
