import { GatewayError, MINUTE_MS } from '@gw/kernel';
import {
  own,
  ownObject,
  sampledMessage,
  samplingCompletion,
  type JsonObject,
  type SamplingModel,
} from '@gw/mcp';
import type { McpServerDocument } from '@gw/contracts';
import { LRUCache } from 'lru-cache';
import { parseJsonObject } from '../../bodies/json-body';
import type { OwnRequests } from '../../core/own-requests';
import { routeOf } from '../../routes/route-table';
import type { McpRequest } from '../mcp-request';

const ROUTE = routeOf('POST', '/chat/completions');
/** Maximum completions per minute of one caller for one server. */
const PER_MINUTE_MAX = 20;
const CALLERS_MAX = 10_000;
const MAX_TOKENS = 1_024;

/**
 * Returns the model that answers the sampling requests of a server; null when only clients answer
 * them.
 */
export function samplingModel({ configurations }: McpServerDocument): SamplingModel | null {
  const sampling = ownObject(configurations, 'sampling');
  const [model, maxTokens] = [own(sampling, 'model'), own(sampling, 'max_tokens')];
  if (typeof model !== 'string') return null;
  return { model, maxTokens: typeof maxTokens === 'number' ? maxTokens : MAX_TOKENS };
}

/**
 * Answers sampling requests of servers with a model of the workspace, on behalf of the caller whose
 * tool call caused them.
 */
export class Sampling {
  private readonly counts = new LRUCache<string, { count: number }>({ max: CALLERS_MAX, ttl: MINUTE_MS });

  constructor(private readonly requests: OwnRequests) {}

  /**
   * Returns the model's message; null when the rate, a limit, a guardrail or the model refuses the
   * request.
   */
  async answer(
    { context, view }: McpRequest,
    model: SamplingModel,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject | null> {
    const body = samplingCompletion(params, model);
    if (body === null || !this.take(`${view.caller.binding}/${view.id}`)) return null;
    const response = await this.requests.send(context, ROUTE, body, signal);
    return response?.status === 200 ? messageIn(response.body, model) : null;
  }

  private take(key: string): boolean {
    const counted = this.counts.get(key);
    if (counted === undefined) this.counts.set(key, { count: 1 });
    else if (counted.count >= PER_MINUTE_MAX) return false;
    else counted.count += 1;
    return true;
  }
}

/** Reads the message of a completion; null when the provider's response is not a completion. */
function messageIn(body: Buffer, model: SamplingModel): JsonObject | null {
  try {
    return sampledMessage(parseJsonObject(body), model);
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}
