import type { Journal, LogShipper } from '@gw/journal';
import { UNITS_PER_USD } from '@gw/kernel';
import type { PolicyValues } from '@gw/limits';
import type { OutboundClient } from '@gw/outbound';
import type { RoutingState } from '@gw/routing';
import type { ReadModel } from '@gw/read-model';
import { processMetrics, ScrapedMetrics, type Samples } from '@gw/web';
import type { Faults } from '../core/faults';
import type { Overload } from '../health/overload';
import type { ChargesAlone } from '../record/charges-alone';
import type { RefusedRequests } from '../record/refused-requests';
import type { McpMetrics } from './mcp-metrics';
import type { ModelCounts, ProviderCounts, RequestMetrics } from './request-metrics';

export interface GatewayParts {
  readonly journal: Pick<Journal, 'stats'>;
  readonly shipper: Pick<LogShipper, 'stats'>;
  readonly chargesAlone: Pick<ChargesAlone, 'stats'>;
  readonly orphans: { readonly sealedCount: number };
  readonly documents: Pick<ReadModel, 'state'>;
  readonly routing: Pick<RoutingState, 'health'>;
  readonly refused: Pick<RefusedRequests, 'counts' | 'unlogged'>;
  readonly faults: Pick<Faults, 'counts'>;
  readonly overload: Pick<Overload, 'level' | 'refused'>;
  readonly policyValues: Pick<PolicyValues, 'overflowRequests'>;
  readonly outbound: Pick<OutboundClient, 'stats'>;
}

/** Returns a function that writes all metrics of a gateway process. */
export function gatewayMetrics(requests: RequestMetrics, parts: GatewayParts): () => Promise<string> {
  const registry = processMetrics();
  const metrics = new ScrapedMetrics(registry);
  registerRequests(metrics, requests);
  registerCounts(metrics, requests);
  registerMcp(metrics, requests.mcp);
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
    'Completed requests by the status that the client received.',
    [...byModel, 'status'],
    function* (): Samples {
      for (const [labels, { statuses }] of models())
        for (const [status, { count }] of statuses) yield [{ ...labels, status: String(status) }, count];
    },
  );
  metrics.histograms(
    'tollgate_request_duration_seconds',
    'Time from the first byte of a request to the end of its response.',
    () => Array.from(requests.providers(), (counts) => [labelsOf(counts), counts.durations]),
  );
  metrics.histograms(
    'tollgate_time_to_first_byte_seconds',
    'Time from the first byte of a request to the first byte of its response.',
    () => Array.from(requests.providers(), (counts) => [labelsOf(counts), counts.firstBytes]),
  );
  metrics.histograms(
    'tollgate_overhead_seconds',
    'Time that the gateway itself used, without waiting for providers and clients.',
    () => [[{}, requests.overhead]],
  );
  metrics.counters(
    'tollgate_tokens_total',
    'Tokens as reported by providers.',
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
    'Cost of requests in US dollars, as far as prices are known.',
    byModel,
    function* (): Samples {
      for (const [labels, { cost }] of models()) yield [labels, cost / UNITS_PER_USD];
    },
  );
}

function registerCounts(metrics: ScrapedMetrics, requests: RequestMetrics): void {
  const families = [
    ['tollgate_outcomes_total', 'outcome', 'Requests by outcome.', requests.outcomes],
    [
      'tollgate_broken_responses_total',
      'outcome',
      'Requests that failed after a status below 400 was sent, by outcome.',
      requests.broken,
    ],
    [
      'tollgate_errors_total',
      'type',
      'Errors of the gateway itself by type, including refusals by limits.',
      requests.errors,
    ],
    ['tollgate_cache_total', 'status', 'Requests by cache status.', requests.cache],
    [
      'tollgate_routing_events_total',
      'event',
      'Routing events, such as opened breakers and hedges.',
      requests.routing,
    ],
  ] as const;
  for (const [name, label, help, counts] of families)
    metrics.counters(name, help, [label], () => labelled(label, counts));
  metrics.counters(
    'tollgate_attempts_total',
    'Provider calls by result.',
    ['provider', 'end'],
    function* (): Samples {
      for (const [provider, ends] of requests.attempts)
        for (const [end, count] of ends) yield [{ provider, end }, count];
    },
  );
}

function registerMcp(metrics: ScrapedMetrics, mcp: McpMetrics): void {
  metrics.counters(
    'tollgate_mcp_requests_total',
    'Requests to MCP servers by outcome; tool_error: the result says that the tool failed.',
    ['server', 'method', 'capability', 'outcome'],
    function* (): Samples {
      for (const { server, method, capabilities } of mcp.all())
        for (const [capability, outcomes] of capabilities)
          for (const [outcome, count] of outcomes) yield [{ server, method, capability, outcome }, count];
    },
  );
  const histograms = (name: string, help: string, field: 'durations' | 'calls'): void =>
    metrics.histograms(name, help, () =>
      Array.from(mcp.all(), (counts) => [{ server: counts.server, method: counts.method }, counts[field]]),
    );
  histograms(
    'tollgate_mcp_server_operation_duration_seconds',
    'Time from the first byte of a request to an MCP server to the end of its response.',
    'durations',
  );
  histograms(
    'tollgate_mcp_client_operation_duration_seconds',
    'Time that MCP servers took for calls of the gateway.',
    'calls',
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
  const { documents, routing, policyValues, faults } = parts;
  metrics.counters(
    'tollgate_faults_total',
    'Exceptions that no code of the gateway handles: of one request, which they ended, or of the process.',
    ['origin'],
    () => labelled('origin', faults.counts),
  );
  metrics.counter(
    'tollgate_policy_values_shared_total',
    'Limits that share a counter, because a policy has too many values.',
    () => policyValues.overflowRequests,
  );
  const breakers = () => routing.health.counts(Date.now());
  metrics.gauge('tollgate_breakers_open', 'Endpoints whose breaker is open.', () => breakers().open);
  metrics.gauge('tollgate_breakers_known', 'Endpoints that have a breaker.', () => breakers().known);
  metrics.gauge('tollgate_read_model_verified', '1 while control-plane changes are received.', () =>
    documents.state().verified ? 1 : 0,
  );
  metrics.gauge(
    'tollgate_read_model_documents',
    'Control-plane documents in memory.',
    () => documents.state().entries,
  );
}

function registerCharges(metrics: ScrapedMetrics, { chargesAlone }: GatewayParts): void {
  metrics.counters(
    'tollgate_charges_alone_total',
    'Charges of dropped log records, by result: sent without the record, or lost.',
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
    'Charges of dropped log records that wait to be sent.',
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
    'Requests without a usable key that got no log record, because of the limit per minute.',
    () => refused.unlogged,
  );
}

function registerLoad(metrics: ScrapedMetrics, { overload, outbound }: GatewayParts): void {
  metrics.gauge(
    'tollgate_overload_level',
    'Overload level. 1: large bodies are refused; 2: all requests are refused.',
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
  gauge('connections_idle', 'Open connections to providers without a call.', 'idleConnections');
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
  gauge('backlog_bytes', 'Bytes of log records that wait to be shipped.', () => log().backlogBytes);
  gauge('disk_bytes', 'Bytes that the journal uses on disk.', () => log().diskBytes);
  gauge('oldest_seconds', 'Age of the oldest log record that is not shipped.', () => {
    const { oldestAtMs } = log();
    return oldestAtMs === null ? 0 : Math.max(0, Date.now() - oldestAtMs) / 1_000;
  });
  gauge('unwritten', 'Log records in memory that the disk has refused so far.', () => log().unwritten);
  gauge(
    'sealed_journals',
    'Journals of stopped gateways that are sealed with another key.',
    () => orphans.sealedCount,
  );
  counter('appended', 'Log records written.', () => log().appended);
  counter('damaged_bytes', 'Bytes of the journal that could not be read back.', () => log().damagedBytes);
  counter(
    'damaged_records',
    'Log records that were written and are missing, judged by their numbers.',
    () => log().damagedRecords,
  );
  metrics.counters('tollgate_journal_dropped_total', 'Lost log records by reason.', ['reason'], () => {
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
    'Log records that a worker has accepted.',
    () => shipper.stats().shipped,
  );
  metrics.counter(
    'tollgate_journal_failed_sends_total',
    'Batches whose send failed; they are sent again.',
    () => shipper.stats().failedSends,
  );
  metrics.gauge('tollgate_journal_shipping_failing', '1 while log records cannot be shipped.', () =>
    shipper.stats().failingSince === null ? 0 : 1,
  );
}
