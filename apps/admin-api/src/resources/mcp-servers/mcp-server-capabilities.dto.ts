import type { McpCapabilityEntity } from '@gw/entities';
import { LISTED_TYPES, type ListedType } from '@gw/mcp';
import { BooleanField, EnumField, NestedListField, ResponseField, TextField } from '@gw/web';
import {
  McpCountsResponse,
  McpDefinitionResponse,
  toMcpDefinition,
} from '../../platform/mcp/mcp-capability-lists';

class McpServerSwitchDto {
  @TextField({ max: 2_048, description: 'Name, URI or URI template of the capability.', example: 'search' })
  name!: string;
  @EnumField(LISTED_TYPES, { example: 'tool' }) type!: ListedType;
  @BooleanField() enabled!: boolean;
}

export class UpdateMcpServerCapabilitiesDto {
  @NestedListField(() => McpServerSwitchDto, { minItems: 1, maxItems: 5_000 })
  capabilities!: McpServerSwitchDto[];
}

/** A capability with the texts from the upstream server that were approved. */
export class McpServerCapabilityResponse extends McpDefinitionResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'search' }) readonly name!: string;
  @ResponseField.oneOf(LISTED_TYPES) readonly type!: string;
  @ResponseField.boolean({ description: 'Whether the capability is visible to callers of this server.' })
  readonly enabled!: boolean;
  @ResponseField.boolean({ description: 'False: the integration offers the capability to no server.' })
  readonly integration_enabled!: boolean;
}

export class McpServerCapabilitiesResponse {
  @ResponseField.list(() => McpServerCapabilityResponse) readonly data!: McpServerCapabilityResponse[];
  @ResponseField.one(() => McpCountsResponse) readonly counts!: McpCountsResponse;
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

/** Returns a capability as a response shows it. `isOn` is false when the server has disabled it. */
export function toServerCapability(row: McpCapabilityEntity, isOn: boolean): McpServerCapabilityResponse {
  const { id, name, type, enabled: integration_enabled, approved } = row;
  return {
    ...toMcpDefinition(approved ?? {}),
    ...{ id, name, type, enabled: integration_enabled && isOn, integration_enabled },
  };
}
