import { PromptVersionEntity, type LabelEntity, type PromptEntity } from '@gw/entities';
import { invalid } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import type { PromptType } from '../../platform/rows/prompt-rows';
import { EMPTY_CONTENT, type VersionContent } from './prompt-content';
import {
  VERSION_FIELDS,
  type CreatePartialDto,
  type CreatePromptDto,
  type UpdatePartialDto,
  type UpdatePromptDto,
} from './prompts.dto';
import {
  toPartial,
  toPartialItem,
  toPartialVersion,
  toPrompt,
  toPromptItem,
  toPromptVersion,
} from './prompts.view';

type Labels = readonly LabelEntity[];

/** Describes the differences between prompts and partials. */
export interface PromptKind<Create, Update, Item, Detail, Version> {
  readonly type: PromptType;
  readonly firstContent: (input: Create) => VersionContent;
  /**
   * Returns the content of the next version; null when the update creates none. Throws
   * `validation_failed`.
   */
  readonly nextContent: (input: Update, latest: VersionContent) => VersionContent | null;
  readonly items: (manager: EntityManager, rows: readonly PromptEntity[]) => Promise<Item[]>;
  readonly detail: (row: PromptEntity, version: PromptVersionEntity, labels: Labels) => Detail;
  readonly version: (row: PromptEntity, version: PromptVersionEntity, labels: Labels) => Version;
}

const kind = <C, U, I, D, V>(of: PromptKind<C, U, I, D, V>): PromptKind<C, U, I, D, V> => of;

export const PROMPT = kind({
  type: 'prompt',
  firstContent: (input: CreatePromptDto) => contentOf(input, EMPTY_CONTENT),
  nextContent: (input: UpdatePromptDto, latest) => {
    const missing = (['string', 'parameters', 'model'] as const).find((name) => input[name] === undefined);
    if (VERSION_FIELDS.every((name) => input[name] === undefined)) return null;
    if (missing !== undefined && input.patch !== true) {
      throw invalid(missing, `${missing} is required for a new version; send patch: true to keep its value`);
    }
    return contentOf(input, latest);
  },
  items: async (manager, rows) => {
    const published = await manager.find(PromptVersionEntity, {
      where: { id: In(rows.map(({ publishedVersionId }) => publishedVersionId)) },
      select: { id: true, model: true },
    });
    const models = new Map(published.map(({ id, model }) => [id, model]));
    return rows.map((row) => toPromptItem(row, models.get(row.publishedVersionId) ?? null));
  },
  detail: toPrompt,
  version: (_row, version, labels) => toPromptVersion(version, labels),
});

export const PARTIAL = kind({
  type: 'partial',
  firstContent: ({ string: template, version_description: description = null }: CreatePartialDto) => ({
    ...EMPTY_CONTENT,
    template,
    description,
  }),
  nextContent: ({ string: template, ...input }: UpdatePartialDto) => {
    const description = input.version_description ?? input.description ?? null;
    return template === undefined ? null : { ...EMPTY_CONTENT, template, description };
  },
  items: async (_manager, rows) => Promise.resolve(rows.map(toPartialItem)),
  detail: toPartial,
  version: toPartialVersion,
});

const or = <T>(given: T | undefined, otherwise: T): T => (given === undefined ? otherwise : given);

/** Returns the content after an update: absent members stay, null clears them. */
function contentOf(input: UpdatePromptDto, before: VersionContent): VersionContent {
  const choice = input.tool_choice;
  return {
    template: or(input.string, before.template),
    isRaw: or(input.is_raw_template, before.isRaw ? 1 : 0) === 1,
    // The description belongs to one version and is not copied to the next one.
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

function plainSlug(virtualKey: string): string {
  const slug = virtualKey.startsWith('@') ? virtualKey.slice(1) : virtualKey;
  if (slug === '') throw invalid('virtual_key', 'virtual_key must be the slug of a provider');
  return slug;
}
