import { resultOf } from '@gw/contracts';
import { Histogram } from '@gw/web';
import { outcomeOf } from '../core/outcome';
import type { RequestContext } from '../core/request-context';
import { McpMetrics } from './mcp-metrics';

/** Maximum number of distinct model names in a process; further ones are counted as `other`. */
const MODELS_MAX = 200;
const MODEL_NAME_MAX = 100;
/** Maximum number of request series in a process; further ones are counted as `other`. */
const SERIES_MAX = 5_000;

const DURATIONS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const FIRST_BYTES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const OVERHEADS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1];

export interface ModelCounts {
  readonly provider: string;
  readonly model: string;
  inputTokens: number;
  outputTokens: number;
  /** In units of 1e-8 USD. */
  cost: number;
  readonly statuses: Map<number, { count: number }>;
}

export interface ProviderCounts {
  readonly route: string;
  readonly provider: string;
  readonly durations: Histogram;
  readonly firstBytes: Histogram;
  readonly models: Map<string, ModelCounts>;
}

const OTHER = 'other';
/** Label value if no provider, or no model, was called. */
const NONE = 'none';

/**
 * Counts requests when they are settled. Counting only looks up existing names and adds numbers;
 * labels are formatted on a scrape. All maps are bounded, whatever callers name.
 */
export class RequestMetrics {
  readonly overhead = new Histogram(OVERHEADS);
  readonly outcomes = new Map<string, number>();
  /**
   * Errors that the status does not show, by outcome: requests that failed after a head below 400
   * was sent.
   */
  readonly broken = new Map<string, number>();
  readonly errors = new Map<string, number>();
  readonly cache = new Map<string, number>();
  readonly routing = new Map<string, number>();
  /** Attempts by provider, then by how they ended. */
  readonly attempts = new Map<string, Map<string, number>>();
  readonly mcp = new McpMetrics();
  private readonly routes = new Map<string, Map<string, ProviderCounts>>();
  private readonly models = new Set<string>();
  private series = 0;

  /** Counts a request. Call it once, when the request is complete. */
  count(context: RequestContext, overheadMs: number): void {
    const { response } = context;
    const { records: attempts, events } = context.attempts;
    const { failure, firstByteAt } = context.reply;
    const { reported: usage, cost } = context.usage;
    const provider = response === null ? (attempts.at(-1)?.provider ?? NONE) : response.upstream.provider.id;
    const counts = this.providerCounts(context.route.name, provider);
    counts.durations.observe(context.elapsedMs() / 1_000);
    if (firstByteAt !== null) counts.firstBytes.observe((firstByteAt - context.startedAt) / 1_000);
    const model = this.modelCounts(counts, this.modelOf(context));
    if (usage !== null) {
      model.inputTokens += usage.inputTokens;
      model.outputTokens += usage.outputTokens;
    }
    if (cost !== null) model.cost += cost;
    this.status(model, context.reply.status);
    this.overhead.observe(overheadMs / 1_000);
    this.outcome(context);
    if (failure !== null) bump(this.errors, failure.type);
    if (response !== null && response.cache !== null) bump(this.cache, response.cache.status);
    for (const { event } of events) bump(this.routing, event);
    for (const attempt of attempts) this.attempt(attempt.provider, attempt.end);
    this.countUnlogged(context);
  }

  /** Counts a request that gets no log record. */
  countUnlogged(context: RequestContext): void {
    if (context.mcp !== null) this.mcp.count(context, context.mcp);
  }

  *providers(): Generator<ProviderCounts> {
    for (const providers of this.routes.values()) yield* providers.values();
  }

  private outcome({ reply }: RequestContext): void {
    const outcome = outcomeOf(reply);
    const { status } = reply;
    bump(this.outcomes, outcome);
    if (status < 400 && resultOf({ outcome, status }) === 'error') bump(this.broken, outcome);
  }

  private attempt(provider: string, end: string): void {
    let ends = this.attempts.get(provider);
    if (ends === undefined) {
      ends = new Map();
      this.attempts.set(this.attempts.size < MODELS_MAX ? provider : OTHER, ends);
    }
    bump(ends, end);
  }

  private providerCounts(route: string, provider: string): ProviderCounts {
    let providers = this.routes.get(route);
    if (providers === undefined) this.routes.set(route, (providers = new Map<string, ProviderCounts>()));
    let counts = providers.get(provider);
    if (counts === undefined) {
      if (this.series >= SERIES_MAX && (route !== OTHER || provider !== OTHER))
        return this.providerCounts(OTHER, OTHER);
      this.series += 1;
      counts = {
        route,
        provider,
        durations: new Histogram(DURATIONS),
        firstBytes: new Histogram(FIRST_BYTES),
        models: new Map(),
      };
      providers.set(provider, counts);
    }
    return counts;
  }

  private modelCounts(counts: ProviderCounts, model: string): ModelCounts {
    let found = counts.models.get(model);
    if (found === undefined) {
      if (this.series >= SERIES_MAX && model !== OTHER) return this.modelCounts(counts, OTHER);
      this.series += 1;
      const { provider } = counts;
      found = { provider, model, inputTokens: 0, outputTokens: 0, cost: 0, statuses: new Map() };
      counts.models.set(model, found);
    }
    return found;
  }

  private status({ statuses }: ModelCounts, status: number): void {
    const found = statuses.get(status);
    if (found !== undefined) found.count += 1;
    else {
      this.series += 1;
      statuses.set(status, { count: 1 });
    }
  }

  /** Callers name models, so only a model with a successful response gets a name of its own. */
  private modelOf({ response, reply }: RequestContext): string {
    if (response === null) return NONE;
    const { model } = response.upstream;
    if (model === null) return NONE;
    if (this.models.has(model)) return model;
    if (reply.status >= 400 || this.models.size >= MODELS_MAX || model.length > MODEL_NAME_MAX) return OTHER;
    this.models.add(model);
    return model;
  }
}

function bump(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
