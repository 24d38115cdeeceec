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

/** The body of a gateway whose server announced changed lists. */
export class McpListsChangedDto {
  @UuidField() integrationId!: string;
}

export class McpChangesQuery extends UpstreamPage {}

const NAME = {
  max: 2_048,
  description: 'The name, the URI or the URI template.',
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
  @EnumField(ALL_TYPES, { example: 'tool', description: 'server: the server itself, named @server.' })
  type!: (typeof ALL_TYPES)[number];
  @TextField(NAME) name!: string;
  @TextField({
    pattern: /^[0-9a-f]{64}$/,
    description: 'Digest of the definition that was looked at.',
    example: 'a'.repeat(64),
  })
  digest!: string;
}

export class McpDecisionDto {
  @NestedListField(() => McpDecisionItemDto, { minItems: 1, maxItems: 1_000 }) items!: McpDecisionItemDto[];
  @TextField({ optional: true, nullable: true, max: 1_024, description: 'Kept in the audit log.' })
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
    description: 'What the server says of itself. With capabilities, nothing is read from the server.',
  })
  server_info?: McpServerInfoDto;
  @ObjectListField({
    optional: true,
    maxItems: 5_000,
    description:
      'Definitions as MCP lists them, each with a member type: tool, prompt, resource, resource_template.',
  })
  capabilities?: Record<string, unknown>[];
}
