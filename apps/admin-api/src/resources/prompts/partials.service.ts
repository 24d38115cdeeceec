import { listOf, type ListAnswer, type PageQuery } from '@gw/web';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/common/principal';
import { inWorkspace } from '../../platform/auth/tenancy';
import { EMPTY_CONTENT } from './prompt-content';
import { audiencesOf, pageOfPrompts } from './prompt-lists';
import { findReadable, splitReference, versionMeant } from '../../platform/rows/prompt-rows';
import { createPrompt } from './prompt-writes';
import type {
  CreatedPromptDto,
  CreatePartialDto,
  ListPromptsQuery,
  UpdatedPartialDto,
  UpdatePartialDto,
} from './prompts.dto';
import {
  toPartial,
  toPartialItem,
  toPartialVersion,
  type PartialAnswer,
  type PartialItemAnswer,
  type PartialVersionAnswer,
} from './prompts.view';
import { TemplatesService } from './templates.service';

@Injectable()
export class PartialsService extends TemplatesService {
  protected readonly type = 'partial';

  create(caller: Principal, input: CreatePartialDto): Promise<CreatedPromptDto> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { name, slug, collection_id: collection, version_description: description = null } = input;
      const content = { ...EMPTY_CONTENT, template: input.string, description };
      const row = await createPrompt(write, caller, owner, {
        type: 'partial',
        name,
        slug,
        collection,
        content,
      });
      return { id: row.id, slug: row.slug, version_id: row.latestVersionId, object: 'partial' };
    });
  }

  async list(caller: Principal, query: ListPromptsQuery): Promise<ListAnswer<PartialItemAnswer>> {
    const { manager } = this.dataSource;
    const [rows, total] = await pageOfPrompts(manager, caller, 'partial', query);
    const audienceOf = await audiencesOf(manager, caller, query, rows);
    return listOf([rows.map((row) => ({ ...toPartialItem(row), ...audienceOf(row) })), total]);
  }

  async get(caller: Principal, reference: string, version: string | undefined): Promise<PartialAnswer> {
    const { manager } = this.dataSource;
    const [name, named] = splitReference(reference);
    const row = await findReadable(manager, caller, 'partial', name);
    return toPartial(row, await versionMeant(manager, row, version ?? named));
  }

  async update(
    caller: Principal,
    reference: string,
    input: UpdatePartialDto,
    ifMatch: string | undefined,
  ): Promise<UpdatedPartialDto> {
    const { string: template } = input;
    const description = input.version_description ?? input.description ?? null;
    const row = await this.change(caller, reference, input, ifMatch, () =>
      template === undefined ? null : { ...EMPTY_CONTENT, template, description },
    );
    return { prompt_partial_version_id: row.latestVersionId };
  }

  /** Newest first. */
  async versions(
    caller: Principal,
    reference: string,
    query: PageQuery,
  ): Promise<ListAnswer<PartialVersionAnswer>> {
    const { manager } = this.dataSource;
    const { row, versions, total } = await this.pageOfVersions(manager, caller, reference, query);
    return listOf([versions.map((version) => toPartialVersion(row, version)), total]);
  }
}
