import { ObjectField, ResponseField, Strict } from '@gw/web';

@Strict()
export class AgentMappingsDto {
  @ObjectField({
    description: 'All mappings by agent id, each with `run_on` and `skill_ids`. Empty removes all mappings.',
    example: { '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90': { run_on: ['beforeToolCall'] } },
  })
  agent_servers!: Record<string, unknown>;
}

export class AgentMappingResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly guardrail_id!: string;
  @ResponseField.uuid() readonly agent_server_id!: string;
  @ResponseField.texts({
    description:
      "When the guardrail runs. beforeToolCall: on messages to the agent. afterToolCall: on the agent's responses.",
    example: ['beforeToolCall', 'afterToolCall'],
  })
  readonly run_on!: readonly string[];
  @ResponseField.texts({ description: 'Ids of skills; empty for the whole agent.', example: [] })
  readonly skill_ids!: readonly string[];
}
