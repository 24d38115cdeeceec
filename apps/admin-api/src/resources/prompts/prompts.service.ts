import { LabelEntity, PromptVersionEntity, type PromptEntity } from '@gw/entities';
import { assertMatches, invalid, listOf, type ListAnswer, type PageQuery } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { found, inWorkspace } from '../../platform/auth/tenancy';
import { labelNamed } from '../../platform/rows/label-rows';
import { EMPTY_CONTENT, type VersionContent } from './prompt-content';
import { audiencesOf, pageOfPrompts } from './prompt-lists';
import {
  findOwn,
  findReadable,
  labelsOf,
  splitReference,
  versionById,
  versionMeant,
} from '../../platform/rows/prompt-rows';
import { createPrompt, plainSlug, setLabel } from './prompt-writes';
import type {
  CreatedPromptDto,
  CreatePromptDto,
  ListPromptsQuery,
  UpdatedPromptAnswer,
  UpdatePromptDto,
} from './prompts.dto';
import {
  toPrompt,
  toPromptItem,
  toPromptVersion,
  type PromptAnswer,
  type PromptItemAnswer,
  type PromptVersionAnswer,
} from './prompts.view';
import { TemplatesService } from './templates.service';

@Injectable()
export class PromptsService extends TemplatesService {
  protected readonly type = 'prompt';

  create(caller: Principal, input: CreatePromptDto): Promise<CreatedPromptDto> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { name, slug, collection_id: collection } = input;
      const content = contentOf(input, EMPTY_CONTENT);
      const row = await createPrompt(write, caller, owner, {
        type: 'prompt',
        name,
        slug,
        collection,
        content,
      });
      return { id: row.id, slug: row.slug, version_id: row.latestVersionId, object: 'prompt' };
    });
  }

  async list(caller: Principal, query: ListPromptsQuery): Promise<ListAnswer<PromptItemAnswer>> {
    const { manager } = this.dataSource;
    const [rows, total] = await pageOfPrompts(manager, caller, 'prompt', query);
    const published = await manager.find(PromptVersionEntity, {
      where: { id: In(rows.map(({ publishedVersionId }) => publishedVersionId)) },
      select: { id: true, model: true },
    });
    const models = new Map(published.map(({ id, model }) => [id, model]));
    const audienceOf = await audiencesOf(manager, caller, query, rows);
    const data = rows.map((row) => ({
      ...toPromptItem(row, models.get(row.publishedVersionId) ?? null),
      ...audienceOf(row),
    }));
    return listOf([data, total]);
  }

  /** `slug`, `slug@3`, `slug@latest`, `slug@label`; or the version by itself. */
  async get(caller: Principal, reference: string, version: string | undefined): Promise<PromptAnswer> {
    const { manager } = this.dataSource;
    const [name, named] = splitReference(reference);
    const row = await findReadable(manager, caller, 'prompt', name);
    return answerOf(manager, row, await versionMeant(manager, row, version ?? named));
  }

  async update(
    caller: Principal,
    reference: string,
    input: UpdatePromptDto,
    ifMatch: string | undefined,
  ): Promise<UpdatedPromptAnswer> {
    assertWhole(input);
    const row = await this.change(caller, reference, input, ifMatch, (latest) =>
      hasVersionFields(input) ? contentOf(input, latest) : null,
    );
    return { id: row.id, slug: row.slug, prompt_version_id: row.latestVersionId };
  }

  /** Newest first. */
  async versions(
    caller: Principal,
    reference: string,
    query: PageQuery,
  ): Promise<ListAnswer<PromptVersionAnswer>> {
    const { manager } = this.dataSource;
    const { versions, total } = await this.pageOfVersions(manager, caller, reference, query);
    const labels = await labelsOf(
      manager,
      versions.map(({ id }) => id),
    );
    return listOf([versions.map((version) => toPromptVersion(version, labels(version.id))), total]);
  }

  async version(caller: Principal, reference: string, versionId: string): Promise<PromptAnswer> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, caller, 'prompt', reference);
    return answerOf(manager, row, await versionById(manager, row, versionId));
  }

  /** `ifMatch`: against the etag of the prompt. */
  label(
    caller: Principal,
    at: { readonly prompt: string; readonly version: string },
    labelId: string | null,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findOwn(manager, caller, 'prompt', at.prompt);
      assertMatches(ifMatch, row);
      const version = await versionById(manager, row, at.version);
      const label =
        labelId === null
          ? null
          : found(await manager.findOne(LabelEntity, { where: labelNamed(caller, labelId) }));
      // The label must mean something in the workspace that owns the prompt.
      if (label !== null && label.workspaceId !== null && label.workspaceId !== row.workspaceId) {
        throw invalid('label_id', 'label_id is of another workspace');
      }
      await setLabel(write, row, version, label?.id ?? null);
      return {};
    });
  }
}

async function answerOf(
  manager: EntityManager,
  row: PromptEntity,
  version: PromptVersionEntity,
): Promise<PromptAnswer> {
  const labels = await labelsOf(manager, [version.id]);
  return toPrompt(row, version, labels(version.id));
}

const VERSION_FIELDS = [
  'string',
  'parameters',
  'model',
  'virtual_key',
  'functions',
  'tools',
  'tool_choice',
  'version_description',
  'template_metadata',
  'prompt_metadata',
  'is_raw_template',
] as const satisfies readonly (keyof UpdatePromptDto)[];

const hasVersionFields = (input: UpdatePromptDto): boolean =>
  VERSION_FIELDS.some((name) => input[name] !== undefined);

/** Without `patch` a new version has all members of its own. */
function assertWhole(input: UpdatePromptDto): void {
  if (input.patch === true || !hasVersionFields(input)) return;
  const missing = (['string', 'parameters', 'model'] as const).find((name) => input[name] === undefined);
  if (missing !== undefined) {
    throw invalid(missing, `${missing} is required for a new version; with patch: true it stays as it is`);
  }
}

const or = <T>(given: T | undefined, otherwise: T): T => (given === undefined ? otherwise : given);

/** What is absent stays as it was; null clears. */
function contentOf(
  input: Omit<UpdatePromptDto, 'patch' | 'name' | 'status'>,
  before: VersionContent,
): VersionContent {
  const choice = input.tool_choice;
  return {
    template: or(input.string, before.template),
    isRaw: or(input.is_raw_template, before.isRaw ? 1 : 0) === 1,
    // A description tells of one version.
    description: input.version_description ?? null,
    parameters: or(input.parameters, before.parameters),
    model: or(input.model, before.model),
    virtualKey: input.virtual_key === undefined ? before.virtualKey : plainSlug(input.virtual_key),
    functions: or(input.functions, before.functions),
    tools: or(input.tools, before.tools),
    toolChoice: choice === undefined ? before.toolChoice : choice === null ? null : [choice],
    metadata: or(or(input.template_metadata, input.prompt_metadata), before.metadata),
  };
}
