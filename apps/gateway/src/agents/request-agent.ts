import type { AgentRecord } from '@gw/contracts';
import type { LimitedCall } from '../limits/limited-call';

type Facts = Pick<AgentRecord, 'agent' | 'operation' | 'version' | 'binding' | 'agentVersion'>;

/** Fields of the log record of a request to an agent. */
export class RequestAgent {
  skill: string | null = null;
  taskId: string | null = null;
  contextId: string | null = null;
  state: string | null = null;
  events = 0;
  artifacts = 0;
  artifactBytes = 0;
  parts: AgentRecord['parts'] = { text: 0, file: 0, data: 0 };
  /** The call that its agent is processing; null before it is sent and once it is charged. */
  atServer: LimitedCall | null = null;

  constructor(private readonly facts: Facts) {}

  /** Records that a call is sent to its agent. */
  callBegins(call: LimitedCall): void {
    this.atServer = call;
  }

  /** Records that the call was charged, or ended without a charge. */
  callEnds(): void {
    this.atServer = null;
  }

  record(): AgentRecord {
    const { skill, taskId, contextId, state, events, artifacts, artifactBytes, parts } = this;
    return { ...this.facts, skill, taskId, contextId, state, events, artifacts, artifactBytes, parts };
  }
}
