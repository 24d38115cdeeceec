import type { AgentRecord } from '@gw/contracts';
import { CallProgress } from '../limits/call-progress';

type Facts = Pick<AgentRecord, 'agent' | 'operation' | 'version' | 'binding' | 'agentVersion'>;

/** Fields of the log record of a request to an agent. */
export class RequestAgent extends CallProgress {
  skill: string | null = null;
  taskId: string | null = null;
  contextId: string | null = null;
  state: string | null = null;
  events = 0;
  artifacts = 0;
  artifactBytes = 0;
  parts: AgentRecord['parts'] = { text: 0, file: 0, data: 0 };

  constructor(private readonly facts: Facts) {
    super();
  }

  record(): AgentRecord {
    const { skill, taskId, contextId, state, events, artifacts, artifactBytes, parts } = this;
    return { ...this.facts, skill, taskId, contextId, state, events, artifacts, artifactBytes, parts };
  }
}
