import type { McpToolsetEntity } from '@gw/entities';
import { LISTED_TYPES } from '@gw/mcp';
import { plainListResponseOf, ResponseField, responseOf, RowResponse, viewOf } from '@gw/web';
import { McpToolsetFields, TOOLSET_FAILURES, TOOLSET_MODES } from './mcp-toolsets.dto';

class McpToolsetMemberResponse {
  @ResponseField.text({ example: 'github', description: 'Slug of the server.' }) readonly server!: string;
  @ResponseField.text({ nullable: true, example: 'code' }) readonly prefix!: string | null;
  @ResponseField.texts({ example: ['search_*'] }) readonly include!: readonly string[];
  @ResponseField.texts({ example: [] }) readonly exclude!: readonly string[];
  @ResponseField.map({ example: { search_issues: 'find_ticket' } })
  readonly aliases!: Readonly<Record<string, string>>;
  @ResponseField.json({ example: { search_issues: { hidden_arguments: ['debug'] } } })
  readonly overrides!: Readonly<Record<string, unknown>>;
}

export class McpToolsetResponse extends responseOf(McpToolsetFields, RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.text({ example: 'search' }) readonly workspace_slug!: string;
  @ResponseField.text({ example: 'support-desk' }) readonly slug!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.text({
    nullable: true,
    description: 'Id of the user or key that created the toolset.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  readonly owner_id!: string | null;
  @ResponseField.oneOf(TOOLSET_MODES) readonly mode!: (typeof TOOLSET_MODES)[number];
  @ResponseField.oneOf(TOOLSET_FAILURES) readonly failure!: (typeof TOOLSET_FAILURES)[number];
  @ResponseField.list(() => McpToolsetMemberResponse)
  readonly members!: readonly McpToolsetMemberResponse[];
  @ResponseField.text({
    description: 'URL at which clients reach the toolset through the gateway.',
    example: 'https://gateway.example.com/search/support-desk/mcp',
  })
  readonly url!: string;
}

export class McpToolsetListResponse extends plainListResponseOf(McpToolsetResponse) {}

/** Rows of other tables whose values the responses show. */
export interface McpToolsetParts {
  readonly workspaceSlug: string;
  /** Slugs of the servers by id. */
  readonly servers: ReadonlyMap<string, string>;
  readonly url: string;
}

export const toMcpToolset = (
  row: McpToolsetEntity,
  { workspaceSlug, servers, url }: McpToolsetParts,
): McpToolsetResponse =>
  viewOf(McpToolsetResponse, row, {
    workspace_slug: workspaceSlug,
    members: row.members.map(({ server_id, ...member }) => ({
      server: servers.get(server_id) ?? server_id,
      ...member,
    })),
    url,
  });

/** Returns the form of a toolset that the audit log stores. */
export const toAuditedMcpToolset = (row: McpToolsetEntity): object => ({
  name: row.name,
  slug: row.slug,
  description: row.description,
  instructions: row.instructions,
  status: row.status,
  mode: row.mode,
  failure: row.failure,
  members: row.members,
});

class McpPreviewItemResponse {
  @ResponseField.oneOf(LISTED_TYPES) readonly type!: string;
  @ResponseField.text({
    example: 'github__search',
    description: 'Name, URI or URI template that clients see.',
  })
  readonly name!: string;
  @ResponseField.text({ example: 'github', description: 'Slug of the server.' }) readonly server!: string;
  @ResponseField.text({ example: 'search', description: "The server's own name, URI or URI template." })
  readonly original_name!: string;
  @ResponseField.text({ nullable: true, example: 'Search' }) readonly title!: string | null;
  @ResponseField.text({ nullable: true, example: 'Finds pages.' }) readonly description!: string | null;
  @ResponseField.any() readonly input_schema!: unknown;
}

export class McpToolsetPreviewResponse {
  @ResponseField.list(() => McpPreviewItemResponse, {
    description: 'In search mode, the tools that a search can find.',
  })
  readonly data!: readonly McpPreviewItemResponse[];
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
  @ResponseField.texts({
    example: [],
    description: 'Slugs of members that the workspace may not use or that have never been read.',
  })
  readonly unavailable!: readonly string[];
}

export type McpPreviewItem = McpPreviewItemResponse;
