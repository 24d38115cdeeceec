import { Histogram } from '@gw/web';
import { outcomeOf } from '../core/outcome';
import type { RequestContext } from '../core/request-context';
import type { RequestMcp } from '../mcp/request-mcp';

/** Maximum number of servers, and of series, in a process; further ones are counted as `_OTHER`. */
const SERVERS_MAX = 500;
const SERIES_MAX = 5_000;
/** Bounds in seconds, by the semantic conventions for MCP. */
const DURATIONS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Value of a label that has too many values, and of the name of a tool that does not exist: callers
 * choose names.
 */
const OTHER = '_OTHER';

export interface McpMethodCounts {
  readonly server: string;
  readonly method: string;
  /** Durations of whole requests. */
  readonly durations: Histogram;
  /** Durations of calls to the server. */
  readonly calls: Histogram;
  /** Calls by tool or prompt, then by outcome. Empty name: the method names none. */
  readonly capabilities: Map<string, Map<string, number>>;
}

/**
 * Counts requests to MCP servers. Names of servers and capabilities come from the control plane;
 * all maps are bounded.
 */
export class McpMetrics {
  private readonly methods = new Map<string, Map<string, McpMethodCounts>>();
  private series = 0;

  /** Counts a request. Call it once, when the request is complete. */
  count(context: RequestContext, mcp: RequestMcp): void {
    const counts = this.countsOf(mcp.server, mcp.method);
    counts.durations.observe(context.elapsedMs() / 1_000);
    for (const { durationMs } of context.attempts.records) counts.calls.observe(durationMs / 1_000);
    const outcomes = this.outcomesOf(counts, nameOf(mcp));
    const outcome = mcp.isError ? 'tool_error' : outcomeOf(context.reply);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  *all(): Generator<McpMethodCounts> {
    for (const methods of this.methods.values()) yield* methods.values();
  }

  private countsOf(server: string, method: string): McpMethodCounts {
    let methods = this.methods.get(server);
    if (methods === undefined) {
      const isFull = this.methods.size >= SERVERS_MAX || this.series >= SERIES_MAX;
      if (isFull && server !== OTHER) return this.countsOf(OTHER, method);
      this.methods.set(server, (methods = new Map<string, McpMethodCounts>()));
    }
    let counts = methods.get(method);
    if (counts === undefined) {
      // Methods are those that the gateway knows.
      this.series += 1;
      const [durations, calls] = [new Histogram(DURATIONS), new Histogram(DURATIONS)];
      counts = { server, method, durations, calls, capabilities: new Map() };
      methods.set(method, counts);
    }
    return counts;
  }

  private outcomesOf({ capabilities }: McpMethodCounts, name: string): Map<string, number> {
    let outcomes = capabilities.get(name);
    if (outcomes === undefined) {
      if (this.series >= SERIES_MAX && name !== OTHER && name !== '')
        return this.outcomesOf({ capabilities } as McpMethodCounts, OTHER);
      this.series += 1;
      capabilities.set(name, (outcomes = new Map<string, number>()));
    }
    return outcomes;
  }
}

const NAMED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get']);

const nameOf = ({ method, capability }: RequestMcp): string => capability ?? (NAMED.has(method) ? OTHER : '');
