import { ObjectField, ResponseField, Strict } from '@gw/web';

@Strict()
export class AgentMappingsDto {
  @ObjectField({
    description: 'All mappings, by id of the agent, each with `run_on` and `skill_ids`. Empty: none.',
    example: { '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90': { run_on: ['beforeToolCall'] } },
  })
  agent_servers!: Record<string, unknown>;
}

export class AgentMappingResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly guardrail_id!: string;
  @ResponseField.uuid() readonly agent_server_id!: string;
  @ResponseField.texts({
    description: 'beforeToolCall: messages to the agent. afterToolCall: what it responds.',
    example: ['beforeToolCall', 'afterToolCall'],
  })
  readonly run_on!: readonly string[];
  @ResponseField.texts({ description: '`skill_id`s; empty: the whole agent.', example: [] })
  readonly skill_ids!: readonly string[];
}
