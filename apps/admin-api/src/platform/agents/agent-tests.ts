import type { AgentIntegrationEntity } from '@gw/entities';
import { ResponseField } from '@gw/web';

export class AgentTestResponse {
  @ResponseField.boolean() readonly success!: boolean;
  @ResponseField.integer({ nullable: true, example: 200 }) readonly status_code!: number | null;
  @ResponseField.integer({ nullable: true, example: 120 }) readonly response_time_ms!: number | null;
  @ResponseField.text({ nullable: true, example: 'https://agent.example.com/rpc' }) readonly url!:
    string | null;
  @ResponseField.text({ example: 'Travel agent' }) readonly agent_name!: string;
  @ResponseField.text({ nullable: true, example: 'The agent was not reached.' })
  readonly error!: string | null;
}

/** Calls agents for other resources; the `agent-integrations` resource provides it. */
export abstract class AgentTests {
  /**
   * Requests a task that does not exist from the agent, with the shared credential, and stores
   * nothing. A failure of the call is part of the response. Throws `rate_limited` when the
   * organisation already runs the maximum number of tests. Callers must check whether the
   * integration may be used.
   */
  abstract testAgent(row: AgentIntegrationEntity): Promise<AgentTestResponse>;
}
