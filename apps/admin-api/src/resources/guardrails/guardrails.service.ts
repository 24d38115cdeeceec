import type { SavedGuardrailCheck } from '@gw/contracts';
import { GuardrailEntity } from '@gw/entities';
import { randomHex, uuidv7 } from '@gw/kernel';
import { invalid, listOf, plainListOf, type ListResponse, type PageQuery } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { assertMayChangeGuardrail } from '../../platform/auth/bound-contents';
import { reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree } from '../../platform/common/slugs';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  archiveRow,
  changeRow,
  createRow,
  listRows,
  present,
  type Resource,
} from '../../platform/resource/rows';
import { actorOf, addVersion, findVersion, listVersions } from '../../platform/resource/versioned';
import {
  assertMay,
  currentOf,
  findReadable,
  GUARDRAIL,
  keysOf,
  listedFor,
  VERSIONS,
} from '../../platform/rows/guardrail-rows';
import { keysOfGuardedAgents } from '../../platform/rows/agent-rows';
import { keysOfGuardedServers } from '../../platform/rows/mcp-rows';
import { usesOfGuardrails, withUses } from '../../platform/rows/used-by.queries';
import { Writes } from '../../platform/unit-of-work/writes';
import { GuardrailContents } from './guardrail-contents';
import { assertReferencesStay, unmaskedChecks } from './guardrail-secrets';
import { assertUnused, configsNaming } from './guardrail-uses';
import { MCP_MAPPINGS } from './mapping-kinds';
import { mappingsOf } from './server-mappings';
import type { CreateGuardrailDto, ListGuardrailsQuery, UpdateGuardrailDto } from './guardrails.dto';
import {
  toGuardrail,
  toGuardrailDetail,
  toGuardrailVersion,
  type GuardrailDetailResponse,
  type GuardrailListResponse,
  type SavedGuardrailResponse,
} from './guardrails.view';

@Injectable()
export class GuardrailsService {
  private readonly resource: Resource<GuardrailEntity> = {
    ...GUARDRAIL,
    view: (row, _caller, manager) => this.detailOf(manager, row),
    documents: (row, manager) => keysOf(manager, row),
    changes: async (row, manager) => [
      ...(await keysOfGuardedServers(manager, row)),
      ...(await keysOfGuardedAgents(manager, row)),
    ],
  };

  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly contents: GuardrailContents,
  ) {}

  /**
   * Creates a guardrail of the caller's workspace, or of the organisation when the call names no
   * workspace.
   */
  create(caller: Principal, input: CreateGuardrailDto): Promise<SavedGuardrailResponse> {
    assertOwn(caller, input.organisation_id);
    const { organisationId, workspaceId } = caller;
    assertMay(caller, workspaceId, 'create');
    const { name, slug = `pg-${randomHex(3)}`, target = 'llm', actions = {} } = input;
    const checks = checksOf(input.checks);
    const [id, versionId] = [uuidv7(), uuidv7()];
    const owner = { id, organisationId, workspaceId, slug, target };
    assertReferencesStay(caller, checks);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      // Slugs of archived guardrails are not reused.
      await assertSlugFree(manager, GuardrailEntity, { organisationId, slug });
      const content = await this.contents.stored(manager, owner, { checks, actions });
      const actors = { ownerId: actorOf(caller), updatedBy: actorOf(caller) };
      const values = { ...owner, ...actors, name, currentVersionId: versionId };
      await createRow(write, this.resource, { ...values, status: 'active' }, async () => {
        await addVersion(manager, caller, VERSIONS, id, { ...content, id: versionId });
      });
      return { id, slug, version_id: versionId };
    });
  }

  async list(caller: Principal, query: ListGuardrailsQuery): Promise<GuardrailListResponse> {
    assertOwn(caller, query.organisation_id);
    const { ids, target } = query;
    const id = ids && In(ids.map((each) => each.toLowerCase()));
    const [rows, total] = await listRows(this.dataSource.manager, GUARDRAIL, query, {
      where: listedFor(caller).map((where) => ({ ...where, ...present({ id, target }) })),
      search: { text: query.search, in: ['name', 'slug'] },
    });
    const uses =
      query.include_used_by === true
        ? await usesOfGuardrails(this.dataSource.manager, reach(caller), rows)
        : null;
    return plainListOf([rows.map((row) => withUses(toGuardrail(row), uses)), total]);
  }

  async get(at: ResourceReference): Promise<GuardrailDetailResponse> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, at);
    const uses = await usesOfGuardrails(manager, reach(at.caller), [row]);
    return withUses(await this.detailOf(manager, row), uses);
  }

  /** Updates a guardrail. New checks or actions create a new version. */
  update(at: ResourceReference, input: UpdateGuardrailDto): Promise<SavedGuardrailResponse> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const saved = await changeRow(write, this.resource, at, async (row) => {
        if (input.name !== undefined) row.name = input.name;
        if (input.checks !== undefined || input.actions !== undefined) {
          await assertMayChangeGuardrail(manager, at.caller, row, await configsNaming(manager, row));
          const written = input.checks && checksOf(input.checks);
          const current = await currentOf(manager, row);
          const before = written ? this.contents.readable(row, current) : this.contents.opened(row, current);
          if (written) assertReferencesStay(at.caller, written, before.checks);
          const content = await this.contents.stored(manager, row, {
            checks: written ? unmaskedChecks(written, before.checks) : before.checks,
            actions: input.actions ?? before.actions,
          });
          const version = await addVersion(manager, at.caller, VERSIONS, row.id, { ...content });
          row.currentVersionId = version.id;
        }
        row.updatedBy = actorOf(at.caller);
      });
      return { id: saved.id, slug: saved.slug, version_id: saved.currentVersionId };
    });
  }

  /**
   * Archives the guardrail. Throws `conflict` while a current config version or a default names it.
   */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, this.resource, at, (row) => assertUnused(write.manager, row)),
    );
  }

  /** Returns a page of versions, newest first. */
  async versions(at: ResourceReference, query: PageQuery): Promise<ListResponse<GuardrailDetailResponse>> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, at);
    const [versions, total] = await listVersions(manager, VERSIONS, row.id, query);
    const mappings = await mappingsOf(MCP_MAPPINGS, manager, row.id);
    const views = versions.map((version) =>
      toGuardrailVersion(row, version, this.contents.shown(row, version), mappings),
    );
    return listOf([views, total]);
  }

  async version(at: ResourceReference, versionId: string): Promise<GuardrailDetailResponse> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, at);
    const version = await findVersion(manager, VERSIONS, row.id, versionId);
    const mappings = await mappingsOf(MCP_MAPPINGS, manager, row.id);
    return toGuardrailVersion(row, version, this.contents.shown(row, version), mappings);
  }

  private async detailOf(manager: EntityManager, row: GuardrailEntity): Promise<GuardrailDetailResponse> {
    const version = await currentOf(manager, row);
    const mappings = await mappingsOf(MCP_MAPPINGS, manager, row.id);
    return toGuardrailDetail(row, version, this.contents.shown(row, version), mappings);
  }
}

/** Returns the checks of a request as typed checks; `GuardrailContents.stored` validates them. */
const checksOf = (checks: readonly Record<string, unknown>[]): readonly SavedGuardrailCheck[] =>
  checks as unknown as readonly SavedGuardrailCheck[];

function assertOwn(caller: Principal, organisationId: string | undefined): void {
  if (organisationId === undefined || organisationId.toLowerCase() === caller.organisationId) return;
  throw invalid('organisation_id', 'organisation_id must be the organisation of the credential');
}
