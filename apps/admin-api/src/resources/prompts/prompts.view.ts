import type { LabelEntity, PromptEntity, PromptVersionEntity } from '@gw/entities';
import { compilePrompt, componentsOf, type VariableComponents } from '@gw/prompts';
import { Answer, RowAnswer, viewOf } from '@gw/web';

class PromptBaseAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.uuid() readonly collection_id!: string;
  @Answer.text({ example: 'Greeting' }) readonly name!: string;
  @Answer.text({ example: 'pp-greeting-3f9a1c' }) readonly slug!: string;
  @Answer.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @Answer.oneOf(['workspace', 'workspaces', 'organisation'])
  readonly access_level!: 'workspace' | 'workspaces' | 'organisation';
  @Answer.uuid({ nullable: true }) readonly share_organisation_id!: string | null;
  @Answer.time({ nullable: true }) readonly shared_at!: string | null;
  @Answer.text({ nullable: true, description: 'The user or API key that shared it.' })
  readonly shared_by_user_id!: string | null;
  @Answer.bit() readonly allow_all_workspaces!: 0 | 1;
  @Answer.uuid({ nullable: true }) readonly forked_from_prompt_id!: string | null;
  @Answer.uuid({ nullable: true }) readonly forked_from_prompt_version_id!: string | null;
  @Answer.uuid() readonly prompt_owning_workspace_id!: string;
  @Answer.texts({
    optional: true,
    description: 'With show_prompt_share: ids of the workspaces it is shared with, for its owner.',
    example: [],
  })
  readonly shared_workspace_ids?: readonly string[];
}

export class PromptItemAnswer extends PromptBaseAnswer {
  @Answer.text({ nullable: true, example: 'gpt-4o' }) readonly model!: string | null;
  @Answer.kind('prompt') readonly object!: 'prompt';
}

class VersionLabelAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'production' }) readonly name!: string;
}

export class PromptAnswer extends PromptItemAnswer {
  @Answer.uuid() readonly prompt_version_id!: string;
  @Answer.integer({ example: 1 }) readonly prompt_version!: number;
  @Answer.text({ nullable: true }) readonly prompt_version_description!: string | null;
  @Answer.oneOf(['active']) readonly prompt_version_status!: 'active';
  @Answer.text({ example: '[{"role":"user","content":"Hello {{name}}"}]' }) readonly string!: string;
  @Answer.json({ example: { variables: ['name'] } }) readonly variable_components!: VariableComponents;
  @Answer.json({ example: { max_completion_tokens: 256 } }) readonly parameters!: Record<string, unknown>;
  @Answer.jsons({ nullable: true }) readonly functions!: object[] | null;
  @Answer.jsons({ nullable: true }) readonly tools!: object[] | null;
  @Answer.any({ example: 'auto' }) readonly tool_choice!: unknown;
  @Answer.json({ nullable: true, example: {} }) readonly template_metadata!: Record<string, unknown> | null;
  @Answer.uuid({ nullable: true }) readonly prompt_version_label_id!: string | null;
  @Answer.text({ nullable: true, example: 'production' }) readonly prompt_version_label_name!: string | null;
  @Answer.bit() readonly is_raw_template!: 0 | 1;
  @Answer.list(() => VersionLabelAnswer) readonly prompt_version_labels!: VersionLabelAnswer[];
  @Answer.text({ nullable: true, example: 'openai-prod' }) readonly virtual_key!: string | null;
}

export class PromptVersionAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.uuid() readonly prompt_id!: string;
  @Answer.text({ description: 'As `string` of the prompt.', example: 'Hello {{name}}' })
  readonly prompt_template!: string;
  @Answer.integer({ example: 1 }) readonly prompt_version!: number;
  @Answer.text({ nullable: true }) readonly prompt_description!: string | null;
  @Answer.uuid({ nullable: true }) readonly label_id!: string | null;
  @Answer.time() readonly created_at!: string;
  @Answer.oneOf(['active']) readonly status!: 'active';
  @Answer.kind('prompt') readonly object!: 'prompt';
}

export class PartialItemAnswer extends PromptBaseAnswer {
  @Answer.kind('partial') readonly object!: 'partial';
}

export class PartialAnswer extends PartialItemAnswer {
  @Answer.text({ example: 'Answer {{tone}}.' }) readonly string!: string;
  @Answer.integer({ example: 1 }) readonly version!: number;
  @Answer.text({ nullable: true }) readonly version_description!: string | null;
  @Answer.uuid() readonly prompt_partial_version_id!: string;
}

export class PartialVersionAnswer {
  @Answer.uuid() readonly prompt_partial_id!: string;
  @Answer.uuid() readonly prompt_partial_version_id!: string;
  @Answer.text({ example: 'pp-house-st-3f9a1c' }) readonly slug!: string;
  @Answer.integer({ example: 1 }) readonly version!: number;
  @Answer.text({ example: 'Answer {{tone}}.' }) readonly string!: string;
  @Answer.text({ nullable: true }) readonly description!: string | null;
  @Answer.time() readonly created_at!: string;
  @Answer.oneOf(['active']) readonly prompt_version_status!: 'active';
  @Answer.kind('partial') readonly object!: 'partial';
}

const base = (row: PromptEntity) => ({
  share_organisation_id: row.accessLevel === 'organisation' ? row.organisationId : null,
  shared_by_user_id: row.sharedBy,
  allow_all_workspaces: row.accessLevel === 'organisation' ? (1 as const) : (0 as const),
  forked_from_prompt_version_id: row.forkedFromVersionId,
  prompt_owning_workspace_id: row.workspaceId,
});

export const toPromptItem = (row: PromptEntity, model: string | null): PromptItemAnswer =>
  viewOf(PromptItemAnswer, row, { ...base(row), model, object: 'prompt' });

export const toPrompt = (
  row: PromptEntity,
  version: PromptVersionEntity,
  labels: readonly LabelEntity[],
): PromptAnswer =>
  viewOf(PromptAnswer, row, {
    ...base(row),
    object: 'prompt',
    model: version.model,
    prompt_version_id: version.id,
    prompt_version: version.number,
    prompt_version_description: version.description,
    prompt_version_status: 'active',
    string: version.template,
    variable_components: componentsOf(compilePrompt(version.template, version.isRaw).templates),
    parameters: version.parameters,
    functions: version.functions,
    tools: version.tools,
    tool_choice: version.toolChoice?.[0] ?? null,
    template_metadata: version.metadata,
    prompt_version_label_id: labels[0]?.id ?? null,
    prompt_version_label_name: labels[0]?.name ?? null,
    is_raw_template: version.isRaw ? 1 : 0,
    prompt_version_labels: labels.map(({ id, name }) => ({ id, name })),
    virtual_key: version.virtualKey,
  });

export const toPromptVersion = (
  version: PromptVersionEntity,
  labels: readonly LabelEntity[],
): PromptVersionAnswer => ({
  id: version.id,
  prompt_id: version.promptId,
  prompt_template: version.template,
  prompt_version: version.number,
  prompt_description: version.description,
  label_id: labels[0]?.id ?? null,
  created_at: version.createdAt.toISOString(),
  status: 'active',
  object: 'prompt',
});

export const toPartialItem = (row: PromptEntity): PartialItemAnswer =>
  viewOf(PartialItemAnswer, row, { ...base(row), object: 'partial' });

export const toPartial = (row: PromptEntity, version: PromptVersionEntity): PartialAnswer =>
  viewOf(PartialAnswer, row, {
    ...base(row),
    object: 'partial',
    string: version.template,
    version: version.number,
    version_description: version.description,
    prompt_partial_version_id: version.id,
  });

export const toPartialVersion = (row: PromptEntity, version: PromptVersionEntity): PartialVersionAnswer => ({
  prompt_partial_id: row.id,
  prompt_partial_version_id: version.id,
  slug: row.slug,
  version: version.number,
  string: version.template,
  description: version.description,
  created_at: version.createdAt.toISOString(),
  prompt_version_status: 'active',
  object: 'partial',
});
