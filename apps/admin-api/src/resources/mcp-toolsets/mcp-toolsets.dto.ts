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

/** Fields that are saved as columns of the same name. */
export class McpToolsetFields {
  @NameField({ example: 'Support desk' }) name!: string;
  @TextField({ optional: true, nullable: true, min: 0, max: 500 }) description?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 4_000,
    description: 'What clients may give to their models about the whole toolset.',
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
      'Before the names of its tools and prompts, followed by `__`. If absent, the slug of the server. Empty: no prefix, for one member at most.',
    example: 'code',
  })
  prefix?: string | null;
  @TextListField({
    ...PATTERNS,
    description:
      'Names of tools and prompts and URIs of resources that the toolset has, or their beginnings before a final `*`. Empty: everything.',
    example: ['search_*'],
  })
  include?: string[];
  @TextListField({ ...PATTERNS, description: 'What of that the toolset does not have.', example: [] })
  exclude?: string[];
  @MapField({
    optional: true,
    maxEntries: 200,
    keyMax: 255,
    valueMax: 64,
    description: 'Names that clients see, by the names of tools and prompts; without the prefix.',
    example: { search_issues: 'find_ticket' },
  })
  aliases?: Record<string, string>;
  @ObjectField({
    optional: true,
    description:
      'By the name of a tool: `title`, `description`, `hidden_arguments` (a list of names) and `fixed_arguments` (values that the gateway sends, which callers cannot change). They are no place for secrets.',
    example: { search_issues: { fixed_arguments: { repo: 'acme/app' } } },
  })
  overrides?: Record<string, unknown>;
}

const MEMBERS = { maxItems: 50, description: 'In the order in which clients see them.' } as const;

export class CreateMcpToolsetDto extends McpToolsetFields {
  @NestedListField(() => McpToolsetMemberDto, MEMBERS) members!: McpToolsetMemberDto[];
  @EnumField(TOOLSET_MODES, {
    optional: true,
    description:
      'search: clients list the tools search_tools and call_tool, with which they find and call the others. Default: list.',
  })
  mode?: (typeof TOOLSET_MODES)[number];
  @EnumField(TOOLSET_FAILURES, {
    optional: true,
    description:
      'partial: lists lack what an unavailable member offers, and name it. strict: lists fail. Default: partial.',
  })
  failure?: (typeof TOOLSET_FAILURES)[number];
  @SlugField({
    optional: true,
    min: 3,
    max: 50,
    description:
      'Derived from the name if absent. Unique among servers and toolsets of the workspace; not all, mcp, sse or messages.',
    example: 'support-desk',
  })
  slug?: string;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UpdateMcpToolsetDto extends partialOf(McpToolsetFields) {
  @NestedListField(() => McpToolsetMemberDto, { ...MEMBERS, optional: true, description: 'All members.' })
  members?: McpToolsetMemberDto[];
  @EnumField(TOOLSET_MODES, { optional: true }) mode?: (typeof TOOLSET_MODES)[number];
  @EnumField(TOOLSET_FAILURES, { optional: true }) failure?: (typeof TOOLSET_FAILURES)[number];
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ListMcpToolsetsQuery extends pageOf({ size: 100, sizeMax: 100 }) {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @TextField({ optional: true, description: 'Part of the name or slug.' }) search?: string;
}

export class CreatedMcpToolsetResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'support-desk' }) readonly slug!: string;
}

export class McpToolsetPreviewQuery extends McpCapabilitiesQuery {
  @UuidField({ optional: true, description: 'A member of the workspace.' }) user_id?: string;
  @UuidField({ optional: true, description: 'An API key of the workspace.' }) api_key_id?: string;
}
