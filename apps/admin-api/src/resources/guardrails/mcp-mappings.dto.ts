import { ResponseField, ObjectField, Strict, TextListField } from '@gw/web';

/** Phases, and their other names. */
export const PHASES = { beforeToolCall: 'input', afterToolCall: 'output' } as const;
export type Phase = keyof typeof PHASES;

const RUN_ON = {
  optional: true,
  maxItems: 4,
  description: 'beforeToolCall (or input), afterToolCall (or output); both when absent.',
  example: ['beforeToolCall'],
} as const;
const CAPABILITIES = {
  optional: true,
  maxItems: 1_000,
  description: 'Ids of tools; all tools of the server when absent or empty.',
  example: ['0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90'],
} as const;

@Strict()
export class McpMappingDto {
  @TextListField(RUN_ON) run_on?: string[];
  @TextListField(CAPABILITIES) capability_ids?: string[];
  @TextListField({ ...CAPABILITIES, description: 'Another name of capability_ids.' })
  mcp_integration_capability_ids?: string[];
}

@Strict()
export class McpMappingsDto {
  @ObjectField({
    description: 'The whole set, by ids of servers: `run_on` and `capability_ids` of each. Empty: none.',
    example: { '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90': { run_on: ['beforeToolCall'] } },
  })
  mcp_servers!: Record<string, unknown>;
}

export class McpMappingResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly guardrail_id!: string;
  @ResponseField.uuid() readonly mcp_server_id!: string;
  @ResponseField.texts({ example: ['beforeToolCall', 'afterToolCall'] }) readonly run_on!: readonly string[];
  @ResponseField.texts({ description: 'Empty: all tools of the server.', example: [] })
  readonly capability_ids!: readonly string[];
  @ResponseField.texts({ description: 'Another name of capability_ids.', example: [] })
  readonly mcp_integration_capability_ids!: readonly string[];
}

export class McpMappingsChangeResponse {
  @ResponseField.boolean({ description: 'Whether anything is other than before.' })
  readonly changed!: boolean;
  @ResponseField.integer({ example: 1 }) readonly added!: number;
  @ResponseField.integer({ example: 0 }) readonly updated!: number;
  @ResponseField.integer({ example: 0 }) readonly removed!: number;
}

export class McpMapResponse {
  @ResponseField.uuid({ description: 'Of the mapping.' }) readonly map_id!: string;
}
