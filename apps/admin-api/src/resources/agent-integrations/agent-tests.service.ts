import { A2A_ERRORS, A2aError, parsedResponse } from '@gw/a2a';
import type { AgentInterfaceFacts } from '@gw/contracts';
import { AgentIntegrationEntity, type UpstreamHealthState } from '@gw/entities';
import { isObject, uuidv7, VendorError } from '@gw/kernel';
import { OutboundError, type BufferedResponse } from '@gw/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AgentTestResponse, AgentTests } from '../../platform/agents/agent-tests';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import { SharedHeaders } from '../../platform/upstreams/shared-headers.service';
import { responded, type Checked } from '../../platform/upstreams/upstream-health';
import { isOnOrigin } from './agent-card-content';
import { AGENT_UPSTREAM } from './agent-configurations';
import { AGENT_HTTP, type AgentHttp } from './agent-http';
import { agentIntegrationTo, storedCard } from './agent-integration-rows';
import { agentRequest, errorCodeIn } from './agent-requests';
import { AgentSnapshots } from './agent-snapshots.service';

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 65_536;

/**
 * Requests a task that does not exist from agents, which tests the address, the credential and the
 * protocol without any effect.
 */
@Injectable()
export class AgentTestsService implements AgentTests {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(AGENT_HTTP) private readonly http: AgentHttp,
    private readonly shared: SharedHeaders,
    private readonly snapshots: AgentSnapshots,
  ) {}

  async test(at: ResourceReference): Promise<AgentTestResponse> {
    return this.testAgent(await findRow(this.dataSource.manager, agentIntegrationTo('update'), at));
  }

  async testAgent(row: AgentIntegrationEntity): Promise<AgentTestResponse> {
    const endpoint = row.approvedEndpoint ?? ownEndpoint(row);
    const card = await storedCard(this.dataSource.manager, row);
    const facts = { url: endpoint?.url ?? row.url, agent_name: nameIn(card) };
    if (endpoint === null)
      return {
        ...facts,
        ...NOT_APPROVED,
      };
    const { state: _state, ...result } = await this.snapshots.within(row, () => this.call(row, endpoint));
    return { ...facts, ...result };
  }

  /** Checks the health of the agent. Never throws because of the agent's behaviour. */
  async check(row: AgentIntegrationEntity): Promise<Checked> {
    const endpoint = row.approvedEndpoint ?? ownEndpoint(row);
    if (endpoint === null)
      return { state: 'unknown', error: 'No card of the agent is approved yet.', tookMs: null };
    const { state, error, response_time_ms: tookMs } = await this.call(row, endpoint);
    if (state === 'healthy' && tookMs !== null) return responded(tookMs);
    return { state, error: error?.slice(0, 1_024) ?? null, tookMs: state === 'down' ? null : tookMs };
  }

  private async call(row: AgentIntegrationEntity, endpoint: AgentInterfaceFacts): Promise<Result> {
    const startedAt = performance.now();
    const took = (): number => Math.round(performance.now() - startedAt);
    try {
      const headers = await this.shared.headersOf(AGENT_UPSTREAM, row);
      const response = await this.http.fetchBuffered({
        ...agentRequest(endpoint, 'getTask', { id: uuidv7() }, headers),
        ...{ totalTimeoutMs: TIMEOUT_MS, bytesMax: BYTES_MAX },
      });
      const { status: status_code } = response;
      const facts = { status_code, response_time_ms: took() };
      const fault = faultOf(endpoint, response);
      if (fault !== null) return { success: false, ...facts, ...fault };
      return { success: true, ...facts, error: null, state: 'healthy' };
    } catch (error) {
      if (error instanceof VendorError)
        return failure('down', took(), `The credential could not be obtained: ${error.message}`);
      if (error instanceof OutboundError)
        return failure('down', took(), `The agent was not reached (${error.failure}).`);
      throw error;
    }
  }
}

/**
 * Returns the newest endpoint if it is on the origin for which the credentials were saved; null
 * otherwise. Before its approval, no other endpoint gets credentials.
 */
const ownEndpoint = ({ endpoint, url }: AgentIntegrationEntity): AgentInterfaceFacts | null =>
  endpoint !== null && isOnOrigin(endpoint, url) ? endpoint : null;

type Result = Omit<AgentTestResponse, 'url' | 'agent_name'> & { readonly state: UpstreamHealthState };

const NOT_APPROVED = {
  ...{ success: false, status_code: null, response_time_ms: null },
  error: 'No card of the agent is approved yet; read skills/changes.',
};

const failure = (state: UpstreamHealthState, tookMs: number, error: string): Result => ({
  ...{ success: false, status_code: null, response_time_ms: tookMs, error, state },
});

function nameIn(card: string | null): string {
  const read: unknown = card === null ? null : JSON.parse(card);
  return isObject(read) && typeof read['name'] === 'string' ? read['name'] : '';
}

/** Whether a body is a JSON object, within the bounds of agent responses. */
function isError(body: Buffer): boolean {
  try {
    return isObject(parsedResponse(body));
  } catch (error) {
    if (error instanceof A2aError) return false;
    throw error;
  }
}

interface Fault {
  /** Description of the fault, without text from the agent. */
  readonly error: string;
  readonly state: UpstreamHealthState;
}

/**
 * Returns the fault of an agent's response to the request for a task that does not exist; null when
 * the response is as expected.
 */
function faultOf({ binding }: AgentInterfaceFacts, { status, body }: BufferedResponse): Fault | null {
  if (status === 401 || status === 403)
    return {
      error: `The agent refused the credential with ${String(status)}.`,
      state: 'unauthorised',
    };
  return binding === 'HTTP+JSON' ? restFault(status, body) : rpcFault(status, body);
}

function restFault(status: number, body: Buffer): Fault | null {
  const isOfA2a = isError(body);
  if (status === A2A_ERRORS.taskNotFound.status && isOfA2a) return null;
  return {
    error: `The agent responded with ${String(status)} to a request for an unknown task; 404 was expected.`,
    state: isOfA2a && status < 500 ? 'degraded' : 'down',
  };
}

function rpcFault(status: number, body: Buffer): Fault | null {
  const { code } = A2A_ERRORS.taskNotFound;
  try {
    if (errorCodeIn(body) === code) return null;
    return {
      error: `The agent responded to a request for an unknown task with another error than ${String(code)}.`,
      state: 'degraded',
    };
  } catch (error) {
    if (error instanceof A2aError)
      return { error: `The agent responded with ${String(status)} and no response of A2A.`, state: 'down' };
    throw error;
  }
}
