import type { SavedGuardrailCheck } from '@gw/contracts';
import type { GuardrailEntity, GuardrailMcpServerEntity, GuardrailVersionEntity } from '@gw/entities';
import type { GuardrailResult } from '@gw/guardrails';
import { ResponseField, RowResponse, rowFields } from '@gw/web';
import { toMapping } from './mcp-mappings';
import { McpMappingResponse } from './mcp-mappings.dto';

export class GuardrailResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'No code names' }) readonly name!: string;
  @ResponseField.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @ResponseField.oneOf(['llm', 'mcp_tools']) readonly target!: 'llm' | 'mcp_tools';
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid({ nullable: true, description: 'Null: of every workspace of the organisation.' })
  readonly workspace_id!: string | null;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.uuid({ nullable: true }) readonly owner_id!: string | null;
  @ResponseField.uuid({ nullable: true }) readonly updated_by!: string | null;
}

export class GuardrailDetailResponse extends GuardrailResponse {
  @ResponseField.jsons({
    description: 'Secrets are masked; a mask that is sent back means the saved secret.',
  })
  readonly checks!: readonly SavedGuardrailCheck[];
  @ResponseField.json({ example: { deny: true, async: false } })
  readonly actions!: Readonly<Record<string, unknown>>;
  @ResponseField.uuid() readonly version_id!: string;
  @ResponseField.integer({ description: '1 is the first.', example: 1 }) readonly version!: number;
  @ResponseField.list(() => McpMappingResponse, { description: 'Servers of tools that it judges.' })
  readonly mcp_server_mappings!: readonly McpMappingResponse[];
}

export class SavedGuardrailResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @ResponseField.uuid({ description: 'The version that holds now.' }) readonly version_id!: string;
}

export class GuardrailListResponse {
  @ResponseField.list(() => GuardrailResponse) readonly data!: GuardrailResponse[];
  @ResponseField.integer({ example: 1 }) readonly total!: number;
}

export class DefaultGuardrailResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
}

export class DefaultGuardrailsResponse {
  @ResponseField.list(() => DefaultGuardrailResponse)
  readonly input_guardrails!: readonly DefaultGuardrailResponse[];
  @ResponseField.list(() => DefaultGuardrailResponse)
  readonly output_guardrails!: readonly DefaultGuardrailResponse[];
  @ResponseField.etag() readonly etag!: string;
}

class HookResultsResponse {
  @ResponseField.jsons() readonly before_request_hooks!: readonly GuardrailResult[];
  @ResponseField.jsons() readonly after_request_hooks!: readonly GuardrailResult[];
}

export class InvocationResponse {
  @ResponseField.uuid() readonly guardrail_id!: string;
  @ResponseField.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @ResponseField.uuid() readonly version_id!: string;
  @ResponseField.boolean({ description: 'Whether all checks hold.' }) readonly verdict!: boolean;
  @ResponseField.oneOf(['pass', 'mark', 'deny'], { description: 'What would become of a request.' })
  readonly outcome!: 'pass' | 'mark' | 'deny';
  @ResponseField.text({ nullable: true, description: 'The message for a denied caller.' })
  readonly message!: string | null;
  @ResponseField.boolean({ example: false }) readonly transformed!: boolean;
  @ResponseField.any({ description: 'The body as checks have changed it; null: not at all.' })
  readonly body!: unknown;
  @ResponseField.one(() => HookResultsResponse) readonly hook_results!: HookResultsResponse;
}

export const toGuardrail = (row: GuardrailEntity): GuardrailResponse => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  target: row.target,
  organisation_id: row.organisationId,
  workspace_id: row.workspaceId,
  status: row.status,
  owner_id: row.ownerId,
  updated_by: row.updatedBy,
  ...rowFields(row),
});

/** `checks`: as they may be shown. */
export const toGuardrailDetail = (
  row: GuardrailEntity,
  version: GuardrailVersionEntity,
  checks: readonly SavedGuardrailCheck[],
  mappings: readonly GuardrailMcpServerEntity[],
): GuardrailDetailResponse => ({
  ...toGuardrail(row),
  checks,
  actions: { deny: false, async: false, sequential: false, ...version.actions },
  version_id: version.id,
  version: version.number,
  mcp_server_mappings: mappings.map(toMapping),
});

/** A version of a guardrail: the guardrail's own fields, and who wrote this version when. */
export const toGuardrailVersion = (
  row: GuardrailEntity,
  version: GuardrailVersionEntity,
  checks: readonly SavedGuardrailCheck[],
  mappings: readonly GuardrailMcpServerEntity[],
): GuardrailDetailResponse => ({
  ...toGuardrailDetail(row, version, checks, mappings),
  updated_by: version.createdBy,
  last_updated_at: version.createdAt.toISOString(),
});
