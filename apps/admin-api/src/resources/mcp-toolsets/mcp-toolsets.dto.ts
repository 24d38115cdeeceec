import {
  EnumField,
  MapField,
  NameField,
  NestedListField,
  ObjectField,
  pageOf,
  partialOf,
  ReferenceField,
  ResponseField,
  SlugField,
  TextField,
  TextListField,
  UuidField,
} from '@gw/web';
import { McpCapabilitiesQuery } from '../../platform/mcp/mcp-capability-lists';

const WORKSPACE = {
  optional: true,
  description: 'Required with a credential of the whole organisation.',
} as const;

export const TOOLSET_MODES = ['list', 'search'] as const;
export const TOOLSET_FAILURES = ['partial', 'strict'] as const;

/** Fields that are stored in columns of the same name. */
export class McpToolsetFields {
  @NameField({ example: 'Support desk' }) name!: string;
  @TextField({ optional: true, nullable: true, min: 0, max: 500 }) description?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 4_000,
    description: 'Instructions about the whole toolset that clients may pass to their models.',
    example: 'Look tickets up before you answer.',
  })
  instructions?: string | null;
}

const PATTERNS = {
  optional: true,
  maxItems: 50,
  itemMax: 2_048,
} as const;

export class McpToolsetMemberDto {
  @ReferenceField({
    description: 'Id or slug of an MCP server of the workspace that the caller may use.',
    example: 'github',
  })
  server!: string;
  @TextField({
    optional: true,
    nullable: true,
    min: 0,
    max: 50,
    pattern: /^[A-Za-z0-9_.-]*$/,
    description:
      'Prefix of the names of its tools and prompts, followed by `__`. Default: the slug of the server. Empty for no prefix, which only one member may have.',
    example: 'code',
  })
  prefix?: string | null;
  @TextListField({
    ...PATTERNS,
    description:
      'Names of tools and prompts and URIs of resources to include, or prefixes followed by `*`. Empty: everything.',
    example: ['search_*'],
  })
  include?: string[];
  @TextListField({
    ...PATTERNS,
    description: 'Names and URIs to exclude from the included ones.',
    example: [],
  })
  exclude?: string[];
  @MapField({
    optional: true,
    maxEntries: 200,
    keyMax: 255,
    valueMax: 64,
    description: 'Names that clients see, without the prefix, by the original name of the tool or prompt.',
    example: { search_issues: 'find_ticket' },
  })
  aliases?: Record<string, string>;
  @ObjectField({
    optional: true,
    description:
      'Overrides by tool name: `title`, `description`, `hidden_arguments` (a list of names) and `fixed_arguments` (values that the gateway sends and callers cannot change). Do not put secrets into them.',
    example: { search_issues: { fixed_arguments: { repo: 'acme/app' } } },
  })
  overrides?: Record<string, unknown>;
}

const MEMBERS = { maxItems: 50, description: 'Members in the order in which clients see them.' } as const;

export class CreateMcpToolsetDto extends McpToolsetFields {
  @NestedListField(() => McpToolsetMemberDto, MEMBERS) members!: McpToolsetMemberDto[];
  @EnumField(TOOLSET_MODES, {
    optional: true,
    description:
      'search: clients list only the tools search_tools and call_tool, with which they find and call the others. Default: list.',
  })
  mode?: (typeof TOOLSET_MODES)[number];
  @EnumField(TOOLSET_FAILURES, {
    optional: true,
    description:
      'partial: lists leave out an unavailable member and name it. strict: lists fail. Default: partial.',
  })
  failure?: (typeof TOOLSET_FAILURES)[number];
  @SlugField({
    optional: true,
    min: 3,
    max: 50,
    description:
      'Default: derived from the name. Unique among the servers and toolsets of the workspace; cannot be all, mcp, sse or messages.',
    example: 'support-desk',
  })
  slug?: string;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UpdateMcpToolsetDto extends partialOf(McpToolsetFields) {
  @NestedListField(() => McpToolsetMemberDto, {
    ...MEMBERS,
    optional: true,
    description: 'The complete list of members; it replaces the existing one.',
  })
  members?: McpToolsetMemberDto[];
  @EnumField(TOOLSET_MODES, { optional: true }) mode?: (typeof TOOLSET_MODES)[number];
  @EnumField(TOOLSET_FAILURES, { optional: true }) failure?: (typeof TOOLSET_FAILURES)[number];
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ListMcpToolsetsQuery extends pageOf({ size: 100, sizeMax: 100 }) {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @TextField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
}

export class CreatedMcpToolsetResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'support-desk' }) readonly slug!: string;
}

export class McpToolsetPreviewQuery extends McpCapabilitiesQuery {
  @UuidField({ optional: true, description: 'Id of a member of the workspace.' }) user_id?: string;
  @UuidField({ optional: true, description: 'Id of an API key of the workspace.' }) api_key_id?: string;
}
