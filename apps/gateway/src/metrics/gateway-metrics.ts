import type { Journal, LogShipper } from '@gw/journal';
import { UNITS_PER_USD } from '@gw/kernel';
import type { PolicyValues } from '@gw/limits';
import type { OutboundClient } from '@gw/outbound';
import type { RoutingState } from '@gw/routing';
import type { ReadModel } from '@gw/read-model';
import { processMetrics, ScrapedMetrics, type Samples } from '@gw/web';
import type { Overload } from '../health/overload';
import type { ChargesAlone } from '../record/charges-alone';
import type { RefusedRequests } from '../record/refused-requests';
import type { ModelCounts, ProviderCounts, RequestMetrics } from './request-metrics';

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

/** Returns what writes all metrics of a gateway process. */
export function gatewayMetrics(requests: RequestMetrics, parts: GatewayParts): () => Promise<string> {
  const registry = processMetrics();
  const metrics = new ScrapedMetrics(registry);
  registerRequests(metrics, requests);
  registerCounts(metrics, requests);
  registerParts(metrics, parts);
  return () => registry.metrics();
}

const labelsOf = ({ route, provider }: ProviderCounts): { route: string; provider: string } => ({
  route,
  provider,
});

function registerRequests(metrics: ScrapedMetrics, requests: RequestMetrics): void {
  const byProvider = ['route', 'provider'];
  const byModel = [...byProvider, 'model'];
  function* models(): Iterable<[labels: Record<string, string>, counts: ModelCounts]> {
    for (const counts of requests.providers())
      for (const model of counts.models.values()) yield [{ ...labelsOf(counts), model: model.model }, model];
  }
  metrics.counters(
    'tollgate_requests_total',
    'Requests that ended, by what the client got.',
    [...byModel, 'status'],
    function* (): Samples {
      for (const [labels, { statuses }] of models())
        for (const [status, { count }] of statuses) yield [{ ...labels, status: String(status) }, count];
    },
  );
  metrics.histograms(
    'tollgate_request_duration_seconds',
    'From the first byte of a request to the end of its answer.',
    () => Array.from(requests.providers(), (counts) => [labelsOf(counts), counts.durations]),
  );
  metrics.histograms(
    'tollgate_time_to_first_byte_seconds',
    'Until the first byte of the answer: of a stream, its first token.',
    () => Array.from(requests.providers(), (counts) => [labelsOf(counts), counts.firstBytes]),
  );
  metrics.histograms(
    'tollgate_overhead_seconds',
    'What the gateway itself took, without waiting for provider and client.',
    () => [[{}, requests.overhead]],
  );
  metrics.counters(
    'tollgate_tokens_total',
    'Tokens, as providers tell them.',
    [...byModel, 'direction'],
    function* (): Samples {
      for (const [labels, { inputTokens, outputTokens }] of models()) {
        yield [{ ...labels, direction: 'input' }, inputTokens];
        yield [{ ...labels, direction: 'output' }, outputTokens];
      }
    },
  );
  metrics.counters(
    'tollgate_cost_usd_total',
    'What requests cost, in US dollars, as far as prices are known.',
    byModel,
    function* (): Samples {
      for (const [labels, { cost }] of models()) yield [labels, cost / UNITS_PER_USD];
    },
  );
}

function registerCounts(metrics: ScrapedMetrics, requests: RequestMetrics): void {
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
  for (const [name, label, help, counts] of families)
    metrics.counters(name, help, [label], () => labelled(label, counts));
  metrics.counters(
    'tollgate_attempts_total',
    'Calls of providers, by how they ended.',
    ['provider', 'end'],
    function* (): Samples {
      for (const [provider, ends] of requests.attempts)
        for (const [end, count] of ends) yield [{ provider, end }, count];
    },
  );
}

function* labelled(label: string, counts: Iterable<readonly [string, number]>): Samples {
  for (const [value, count] of counts) yield [{ [label]: value }, count];
}

function registerParts(metrics: ScrapedMetrics, parts: GatewayParts): void {
  registerCharges(metrics, parts);
  registerRefused(metrics, parts);
  registerLoad(metrics, parts);
  registerJournal(metrics, parts);
  registerShipping(metrics, parts);
  const { documents, routing, policyValues } = parts;
  metrics.counter(
    'tollgate_policy_values_shared_total',
    'Limits that were counted together with others, because a policy has too many values.',
    () => policyValues.shared,
  );
  const breakers = () => routing.health.counts(Date.now());
  metrics.gauge('tollgate_breakers_open', 'Endpoints that are left alone for now.', () => breakers().open);
  metrics.gauge('tollgate_breakers_known', 'Endpoints that have a breaker.', () => breakers().known);
  metrics.gauge('tollgate_read_model_verified', '1 while changes of settings are heard.', () =>
    documents.state().verified ? 1 : 0,
  );
  metrics.gauge('tollgate_read_model_documents', 'Documents in memory.', () => documents.state().entries);
}

function registerCharges(metrics: ScrapedMetrics, { chargesAlone }: GatewayParts): void {
  metrics.counters(
    'tollgate_charges_alone_total',
    'Charges of requests whose log record was dropped: sent without it, or lost.',
    ['result'],
    () => {
      const { sent, lost } = chargesAlone.stats();
      return [
        [{ result: 'sent' }, sent],
        [{ result: 'lost' }, lost],
      ];
    },
  );
  metrics.gauge(
    'tollgate_charges_alone_waiting',
    'Those of them that are to be sent.',
    () => chargesAlone.stats().waiting,
  );
}

function registerRefused(metrics: ScrapedMetrics, { refused }: GatewayParts): void {
  metrics.counters(
    'tollgate_refused_requests_total',
    'Requests without a usable key, by reason: missing, unknown, ended, expired, unusable, other.',
    ['reason'],
    () => labelled('reason', refused.counts),
  );
  metrics.counter(
    'tollgate_refused_requests_unlogged_total',
    'Those of them that have no log record, because there were too many in a minute.',
    () => refused.unlogged,
  );
}

function registerLoad(metrics: ScrapedMetrics, { overload, outbound }: GatewayParts): void {
  metrics.gauge(
    'tollgate_overload_level',
    '1: large bodies are refused; 2: all requests are.',
    () => overload.level,
  );
  metrics.counter(
    'tollgate_overload_refused_total',
    'Requests refused because of overload.',
    () => overload.refused,
  );
  const gauge = (name: string, help: string, field: 'connections' | 'idleConnections' | 'waiting'): void =>
    metrics.gauge(`tollgate_provider_${name}`, help, () => outbound.stats()[field]);
  gauge('connections', 'Open connections to providers.', 'connections');
  gauge('connections_idle', 'Those without a call.', 'idleConnections');
  gauge(
    'calls_waiting',
    'Calls that wait for a connection, because all connections to the provider are in use.',
    'waiting',
  );
}

function registerJournal(metrics: ScrapedMetrics, { journal, orphans }: GatewayParts): void {
  const log = () => journal.stats();
  const gauge = (name: string, help: string, read: () => number): void =>
    metrics.gauge(`tollgate_journal_${name}`, help, read);
  const counter = (name: string, help: string, read: () => number): void =>
    metrics.counter(`tollgate_journal_${name}_total`, help, read);
  gauge('backlog_bytes', 'Log records that wait to be shipped.', () => log().backlogBytes);
  gauge('disk_bytes', 'What the journal takes on the disk.', () => log().diskBytes);
  gauge('oldest_seconds', 'Age of the oldest log record that is not shipped.', () => {
    const { oldestAtMs } = log();
    return oldestAtMs === null ? 0 : Math.max(0, Date.now() - oldestAtMs) / 1_000;
  });
  gauge('unwritten', 'Log records in memory that the disk has refused so far.', () => log().unwritten);
  gauge(
    'sealed_journals',
    'Journals of ended gateways that another key has sealed.',
    () => orphans.sealedCount,
  );
  counter('appended', 'Log records written.', () => log().appended);
  counter('damaged_bytes', 'Bytes that could not be read again.', () => log().damagedBytes);
  counter(
    'damaged_records',
    'Log records that were written and are missing, by their numbers.',
    () => log().damagedRecords,
  );
  metrics.counters('tollgate_journal_dropped_total', 'Log records that are lost, by why.', ['reason'], () => {
    const { droppedAtCap, droppedByDisk, droppedOversized } = log();
    return [
      [{ reason: 'cap' }, droppedAtCap],
      [{ reason: 'disk' }, droppedByDisk],
      [{ reason: 'oversized' }, droppedOversized],
    ];
  });
}

function registerShipping(metrics: ScrapedMetrics, { shipper }: GatewayParts): void {
  metrics.counter(
    'tollgate_journal_shipped_total',
    'Log records that a worker has taken.',
    () => shipper.stats().shipped,
  );
  metrics.counter(
    'tollgate_journal_failed_sends_total',
    'Batches that must be sent again.',
    () => shipper.stats().failedSends,
  );
  metrics.gauge('tollgate_journal_shipping_failing', '1 while log records can not be shipped.', () =>
    shipper.stats().failingSince === null ? 0 : 1,
  );
}
