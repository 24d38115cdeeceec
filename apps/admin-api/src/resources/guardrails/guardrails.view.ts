import type { SavedGuardrailCheck } from '@gw/contracts';
import type { GuardrailEntity, GuardrailMcpServerEntity, GuardrailVersionEntity } from '@gw/entities';
import type { GuardrailResult } from '@gw/guardrails';
import { Answer, RowAnswer, rowFields } from '@gw/web';
import { toMapping } from './mcp-mappings';
import { McpMappingAnswer } from './mcp-mappings.dto';

export class GuardrailAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'No code names' }) readonly name!: string;
  @Answer.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @Answer.oneOf(['llm', 'mcp_tools']) readonly target!: 'llm' | 'mcp_tools';
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.uuid({ nullable: true, description: 'Null: of every workspace of the organisation.' })
  readonly workspace_id!: string | null;
  @Answer.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @Answer.uuid({ nullable: true }) readonly owner_id!: string | null;
  @Answer.uuid({ nullable: true }) readonly updated_by!: string | null;
}

export class GuardrailDetailAnswer extends GuardrailAnswer {
  @Answer.jsons({ description: 'Secrets are masked; a mask that is sent back means the saved secret.' })
  readonly checks!: readonly SavedGuardrailCheck[];
  @Answer.json({ example: { deny: true, async: false } })
  readonly actions!: Readonly<Record<string, unknown>>;
  @Answer.uuid() readonly version_id!: string;
  @Answer.integer({ description: '1 is the first.', example: 1 }) readonly version!: number;
  @Answer.list(() => McpMappingAnswer, { description: 'Servers of tools that it judges.' })
  readonly mcp_server_mappings!: readonly McpMappingAnswer[];
}

export class SavedGuardrailAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @Answer.uuid({ description: 'The version that holds now.' }) readonly version_id!: string;
}

export class GuardrailListAnswer {
  @Answer.list(() => GuardrailAnswer) readonly data!: GuardrailAnswer[];
  @Answer.integer({ example: 1 }) readonly total!: number;
}

export class DefaultGuardrailAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
}

export class DefaultGuardrailsAnswer {
  @Answer.list(() => DefaultGuardrailAnswer) readonly input_guardrails!: readonly DefaultGuardrailAnswer[];
  @Answer.list(() => DefaultGuardrailAnswer) readonly output_guardrails!: readonly DefaultGuardrailAnswer[];
  @Answer.etag() readonly etag!: string;
}

class HookResultsAnswer {
  @Answer.jsons() readonly before_request_hooks!: readonly GuardrailResult[];
  @Answer.jsons() readonly after_request_hooks!: readonly GuardrailResult[];
}

export class InvocationAnswer {
  @Answer.uuid() readonly guardrail_id!: string;
  @Answer.text({ example: 'pg-3f9a1c' }) readonly slug!: string;
  @Answer.uuid() readonly version_id!: string;
  @Answer.boolean({ description: 'Whether all checks hold.' }) readonly verdict!: boolean;
  @Answer.oneOf(['pass', 'mark', 'deny'], { description: 'What would become of a request.' })
  readonly outcome!: 'pass' | 'mark' | 'deny';
  @Answer.text({ nullable: true, description: 'The message for a denied caller.' })
  readonly message!: string | null;
  @Answer.boolean({ example: false }) readonly transformed!: boolean;
  @Answer.any({ description: 'The body as checks have changed it; null: not at all.' })
  readonly body!: unknown;
  @Answer.one(() => HookResultsAnswer) readonly hook_results!: HookResultsAnswer;
}

export const toGuardrail = (row: GuardrailEntity): GuardrailAnswer => ({
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
): GuardrailDetailAnswer => ({
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
): GuardrailDetailAnswer => ({
  ...toGuardrailDetail(row, version, checks, mappings),
  updated_by: version.createdBy,
  last_updated_at: version.createdAt.toISOString(),
});
