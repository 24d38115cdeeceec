import type { LabelEntity, PromptEntity, PromptVersionEntity } from '@gw/entities';
import { compilePrompt, componentsOf, type VariableComponents } from '@gw/prompts';
import { ResponseField, RowResponse, viewOf } from '@gw/web';

class PromptBaseResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly collection_id!: string;
  @ResponseField.text({ example: 'Greeting' }) readonly name!: string;
  @ResponseField.text({ example: 'pp-greeting-3f9a1c' }) readonly slug!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.oneOf(['workspace', 'workspaces', 'organisation'])
  readonly access_level!: 'workspace' | 'workspaces' | 'organisation';
  @ResponseField.uuid({ nullable: true }) readonly share_organisation_id!: string | null;
  @ResponseField.time({ nullable: true }) readonly shared_at!: string | null;
  @ResponseField.text({ nullable: true, description: 'Id of the user or API key that shared the prompt.' })
  readonly shared_by_user_id!: string | null;
  @ResponseField.bit() readonly allow_all_workspaces!: 0 | 1;
  @ResponseField.uuid({ nullable: true }) readonly forked_from_prompt_id!: string | null;
  @ResponseField.uuid({ nullable: true }) readonly forked_from_prompt_version_id!: string | null;
  @ResponseField.uuid() readonly prompt_owning_workspace_id!: string;
  @ResponseField.texts({
    optional: true,
    description:
      'Ids of the workspaces with which the prompt is shared. Only with show_prompt_share, for the owning workspace.',
    example: [],
  })
  readonly shared_workspace_ids?: readonly string[];
}

export class PromptItemResponse extends PromptBaseResponse {
  @ResponseField.text({ nullable: true, example: 'gpt-4o' }) readonly model!: string | null;
  @ResponseField.kind('prompt') readonly object!: 'prompt';
}

class VersionLabelResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'production' }) readonly name!: string;
}

export class PromptResponse extends PromptItemResponse {
  @ResponseField.uuid() readonly prompt_version_id!: string;
  @ResponseField.integer({ example: 1 }) readonly prompt_version!: number;
  @ResponseField.text({ nullable: true }) readonly prompt_version_description!: string | null;
  @ResponseField.oneOf(['active']) readonly prompt_version_status!: 'active';
  @ResponseField.text({ example: '[{"role":"user","content":"Hello {{name}}"}]' }) readonly string!: string;
  @ResponseField.json({ example: { variables: ['name'] } }) readonly variable_components!: VariableComponents;
  @ResponseField.json({ example: { max_completion_tokens: 256 } }) readonly parameters!: Record<
    string,
    unknown
  >;
  @ResponseField.jsons({ nullable: true }) readonly functions!: object[] | null;
  @ResponseField.jsons({ nullable: true }) readonly tools!: object[] | null;
  @ResponseField.any({ example: 'auto' }) readonly tool_choice!: unknown;
  @ResponseField.json({ nullable: true, example: {} }) readonly template_metadata!: Record<
    string,
    unknown
  > | null;
  @ResponseField.uuid({ nullable: true }) readonly prompt_version_label_id!: string | null;
  @ResponseField.text({ nullable: true, example: 'production' }) readonly prompt_version_label_name!:
    string | null;
  @ResponseField.bit() readonly is_raw_template!: 0 | 1;
  @ResponseField.list(() => VersionLabelResponse) readonly prompt_version_labels!: VersionLabelResponse[];
  @ResponseField.text({ nullable: true, example: 'openai-prod' }) readonly virtual_key!: string | null;
}

export class PromptVersionResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly prompt_id!: string;
  @ResponseField.text({ description: 'The same as `string` of the prompt.', example: 'Hello {{name}}' })
  readonly prompt_template!: string;
  @ResponseField.integer({ example: 1 }) readonly prompt_version!: number;
  @ResponseField.text({ nullable: true }) readonly prompt_description!: string | null;
  @ResponseField.uuid({ nullable: true }) readonly label_id!: string | null;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.oneOf(['active']) readonly status!: 'active';
  @ResponseField.kind('prompt') readonly object!: 'prompt';
}

export class PartialItemResponse extends PromptBaseResponse {
  @ResponseField.kind('partial') readonly object!: 'partial';
}

export class PartialResponse extends PartialItemResponse {
  @ResponseField.text({ example: 'Answer {{tone}}.' }) readonly string!: string;
  @ResponseField.integer({ example: 1 }) readonly version!: number;
  @ResponseField.text({ nullable: true }) readonly version_description!: string | null;
  @ResponseField.uuid() readonly prompt_partial_version_id!: string;
}

export class PartialVersionResponse {
  @ResponseField.uuid() readonly prompt_partial_id!: string;
  @ResponseField.uuid() readonly prompt_partial_version_id!: string;
  @ResponseField.text({ example: 'pp-house-st-3f9a1c' }) readonly slug!: string;
  @ResponseField.integer({ example: 1 }) readonly version!: number;
  @ResponseField.text({ example: 'Answer {{tone}}.' }) readonly string!: string;
  @ResponseField.text({ nullable: true }) readonly description!: string | null;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.oneOf(['active']) readonly prompt_version_status!: 'active';
  @ResponseField.kind('partial') readonly object!: 'partial';
}

const base = (row: PromptEntity) => ({
  share_organisation_id: row.accessLevel === 'organisation' ? row.organisationId : null,
  shared_by_user_id: row.sharedBy,
  allow_all_workspaces: row.accessLevel === 'organisation' ? (1 as const) : (0 as const),
  forked_from_prompt_version_id: row.forkedFromVersionId,
  prompt_owning_workspace_id: row.workspaceId,
});

export const toPromptItem = (row: PromptEntity, model: string | null): PromptItemResponse =>
  viewOf(PromptItemResponse, row, { ...base(row), model, object: 'prompt' });

export const toPrompt = (
  row: PromptEntity,
  version: PromptVersionEntity,
  labels: readonly LabelEntity[],
): PromptResponse =>
  viewOf(PromptResponse, row, {
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
): PromptVersionResponse => ({
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

export const toPartialItem = (row: PromptEntity): PartialItemResponse =>
  viewOf(PartialItemResponse, row, { ...base(row), object: 'partial' });

export const toPartial = (row: PromptEntity, version: PromptVersionEntity): PartialResponse =>
  viewOf(PartialResponse, row, {
    ...base(row),
    object: 'partial',
    string: version.template,
    version: version.number,
    version_description: version.description,
    prompt_partial_version_id: version.id,
  });

export const toPartialVersion = (
  row: PromptEntity,
  version: PromptVersionEntity,
): PartialVersionResponse => ({
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
