import type { SavedGuardrailCheck } from '@gw/contracts';
import type { GuardrailEntity, GuardrailMcpServerEntity, GuardrailVersionEntity } from '@gw/entities';
import type { GuardrailResult } from '@gw/guardrails';
import { pickOf, plainListResponseOf, ResponseField, RowResponse, viewOf } from '@gw/web';
import { UsedByResponse } from '../../platform/rows/used-by.queries';
import { toMapping } from './mapping-kinds';
import { McpMappingResponse } from './mcp-mappings.dto';

export class GuardrailResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'No code names' }) readonly name!: string;
  @ResponseField.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @ResponseField.oneOf(['llm', 'mcp_tools']) readonly target!: 'llm' | 'mcp_tools';
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid({
    nullable: true,
    description:
      'Workspace of the guardrail; null for a guardrail of the organisation, which applies to all its workspaces.',
  })
  readonly workspace_id!: string | null;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.uuid({ nullable: true }) readonly owner_id!: string | null;
  @ResponseField.uuid({ nullable: true }) readonly updated_by!: string | null;
  @ResponseField.one(() => UsedByResponse, {
    optional: true,
    description: 'Only present in a list with include_used_by.',
  })
  readonly used_by?: UsedByResponse;
}

export class GuardrailDetailResponse extends GuardrailResponse {
  @ResponseField.jsons({
    description: 'Secrets are masked. An update that sends back a mask keeps the saved secret.',
  })
  readonly checks!: readonly SavedGuardrailCheck[];
  @ResponseField.json({ example: { deny: true, async: false } })
  readonly actions!: Readonly<Record<string, unknown>>;
  @ResponseField.uuid() readonly version_id!: string;
  @ResponseField.integer({ description: 'Version number; the first is 1.', example: 1 })
  readonly version!: number;
  @ResponseField.list(() => McpMappingResponse, {
    description: 'MCP servers whose tool calls the guardrail checks.',
  })
  readonly mcp_server_mappings!: readonly McpMappingResponse[];
}

/** Response of a write with the id of the version that is now current. */
export class SavedGuardrailResponse extends pickOf(GuardrailDetailResponse, 'id', 'slug', 'version_id') {}

export class GuardrailListResponse extends plainListResponseOf(GuardrailResponse) {}

export class DefaultGuardrailResponse extends pickOf(GuardrailResponse, 'id', 'slug') {}

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
  @ResponseField.boolean({ description: 'Whether all checks pass.' }) readonly verdict!: boolean;
  @ResponseField.oneOf(['pass', 'mark', 'deny'], { description: 'Effect that the verdict has on a request.' })
  readonly outcome!: 'pass' | 'mark' | 'deny';
  @ResponseField.text({ nullable: true, description: 'Message to the caller when the request is denied.' })
  readonly message!: string | null;
  @ResponseField.boolean({ example: false }) readonly transformed!: boolean;
  @ResponseField.any({ description: 'The body as changed by checks; null if unchanged.' })
  readonly body!: unknown;
  @ResponseField.one(() => HookResultsResponse) readonly hook_results!: HookResultsResponse;
}

export const toGuardrail = (row: GuardrailEntity): GuardrailResponse => viewOf(GuardrailResponse, row);

/** Returns a guardrail with its content. `checks` must already have masked secrets. */
export const toGuardrailDetail = (
  row: GuardrailEntity,
  version: GuardrailVersionEntity,
  checks: readonly SavedGuardrailCheck[],
  mappings: readonly GuardrailMcpServerEntity[],
): GuardrailDetailResponse =>
  viewOf(GuardrailDetailResponse, row, {
    checks,
    actions: { deny: false, async: false, sequential: false, ...version.actions },
    version_id: version.id,
    version: version.number,
    mcp_server_mappings: mappings.map(toMapping),
  });

/** Returns a version with the fields of its guardrail and the version's author and time. */
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
