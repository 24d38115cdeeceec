import { ResponseField, ObjectField, Strict, TextListField } from '@gw/web';

/** Phases of a tool call, with their aliases. */
export const PHASES = { beforeToolCall: 'input', afterToolCall: 'output' } as const;
export type Phase = keyof typeof PHASES;

const RUN_ON = {
  optional: true,
  maxItems: 4,
  description: 'beforeToolCall (alias input), afterToolCall (alias output). Default: both.',
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
  @TextListField({ ...CAPABILITIES, description: 'Alias of capability_ids.' })
  mcp_integration_capability_ids?: string[];
}

@Strict()
export class McpMappingsDto {
  @ObjectField({
    description:
      'All mappings by server id, each with `run_on` and `capability_ids`. Empty removes all mappings.',
    example: { '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90': { run_on: ['beforeToolCall'] } },
  })
  mcp_servers!: Record<string, unknown>;
}

export class McpMappingResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly guardrail_id!: string;
  @ResponseField.uuid() readonly mcp_server_id!: string;
  @ResponseField.texts({ example: ['beforeToolCall', 'afterToolCall'] }) readonly run_on!: readonly string[];
  @ResponseField.texts({ description: 'Ids of tools; empty for all tools of the server.', example: [] })
  readonly capability_ids!: readonly string[];
  @ResponseField.texts({ description: 'Alias of capability_ids.', example: [] })
  readonly mcp_integration_capability_ids!: readonly string[];
}

export class McpMappingsChangeResponse {
  @ResponseField.boolean({ description: 'Whether the request changed anything.' })
  readonly changed!: boolean;
  @ResponseField.integer({ example: 1 }) readonly added!: number;
  @ResponseField.integer({ example: 0 }) readonly updated!: number;
  @ResponseField.integer({ example: 0 }) readonly removed!: number;
}

export class McpMapResponse {
  @ResponseField.uuid({ description: 'Id of the mapping.' }) readonly map_id!: string;
}
