import { LISTED_TYPES, type ListedType } from '@gw/mcp';
import {
  BooleanField,
  EnumField,
  NestedField,
  NestedListField,
  ObjectField,
  ObjectListField,
  TextField,
  UuidField,
} from '@gw/web';
import { UpstreamPage } from '../../platform/upstreams/upstream-page';

export const ALL_TYPES = [...LISTED_TYPES, 'server'] as const;

/** Body of a request from a gateway whose server announced changed lists. */
export class McpListsChangedDto {
  @UuidField() integrationId!: string;
}

export class McpChangesQuery extends UpstreamPage {}

const NAME = {
  max: 2_048,
  description: 'Name, URI or URI template of the capability.',
  example: 'search',
} as const;

class McpCapabilitySwitchDto {
  @TextField(NAME) name!: string;
  @EnumField(LISTED_TYPES, { example: 'tool' }) type!: ListedType;
  @BooleanField() enabled!: boolean;
}

export class UpdateMcpCapabilitiesDto {
  @NestedListField(() => McpCapabilitySwitchDto, { minItems: 1, maxItems: 5_000 })
  capabilities!: McpCapabilitySwitchDto[];
}

class McpDecisionItemDto {
  @EnumField(ALL_TYPES, {
    example: 'tool',
    description: 'server stands for the server itself, whose name is @server.',
  })
  type!: (typeof ALL_TYPES)[number];
  @TextField(NAME) name!: string;
  @TextField({
    pattern: /^[0-9a-f]{64}$/,
    description: 'Digest of the definition that the administrator reviewed.',
    example: 'a'.repeat(64),
  })
  digest!: string;
}

export class McpDecisionDto {
  @NestedListField(() => McpDecisionItemDto, { minItems: 1, maxItems: 1_000 }) items!: McpDecisionItemDto[];
  @TextField({ optional: true, nullable: true, max: 1_024, description: 'Comment for the audit log.' })
  reason?: string | null;
}

export class McpServerInfoDto {
  @TextField({ optional: true, nullable: true }) name?: string | null;
  @TextField({ optional: true, nullable: true }) version?: string | null;
  @TextField({ optional: true, nullable: true }) title?: string | null;
  @TextField({ optional: true, nullable: true, max: 16_384 }) description?: string | null;
  @TextField({ optional: true, nullable: true, max: 2_048 }) website_url?: string | null;
  @ObjectListField({ optional: true, nullable: true, maxItems: 20 }) icons?: object[] | null;
  @TextField({ optional: true, nullable: true, max: 32 }) protocol_version?: string | null;
  @ObjectField({ optional: true, nullable: true }) capabilities?: Record<string, unknown> | null;
  @TextField({ optional: true, nullable: true, max: 65_536 }) instructions?: string | null;
}

export class McpSyncDto {
  @NestedField(() => McpServerInfoDto, {
    optional: true,
    description:
      'Information from the server about itself. Absent: unchanged. With this member or capabilities, nothing is read from the server.',
  })
  server_info?: McpServerInfoDto;
  @ObjectListField({
    optional: true,
    maxItems: 5_000,
    description:
      'All definitions in the form of MCP lists, each with a member type: tool, prompt, resource or resource_template. Absent: unchanged.',
  })
  capabilities?: Record<string, unknown>[];
}
