import { LogExportEntity, LogExportPartEntity, OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import {
  countLogs,
  exportRestrictionsOf,
  LOG_EXPORT_FIELDS,
  logExportFilter,
  type ExportRestrictions,
  type LogExportFilters,
} from '@gw/log-store';
import { assign, invalid, listOf, pickOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { ownDataOnly } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { found, idOf, inWorkspace, reach } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { changeRow, createRow, findRow, listRows, type Resource } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { LogExportFiles } from './log-export-files';
import {
  toLogExport,
  UpdateLogExportDto,
  type CreateLogExportDto,
  type FieldRestrictionsResponse,
  type ListLogExportsQuery,
  type LogExportResponse,
  type LogExportDownloadResponse,
  type LogExportFiltersDto,
  type LogExportTaskResponse,
  type WrittenLogExportResponse,
} from './log-exports.dto';

class PlainFields extends pickOf(UpdateLogExportDto, 'requested_data', 'description', 'format') {}

const COUNTED_MAX = 1_000_000;

const LOG_EXPORT: Resource<LogExportEntity> = {
  entity: LogExportEntity,
  type: 'log_exports',
  view: (row) => toLogExport(row),
  where: (caller, reference) => ({ ...visibleTo(caller), id: idOf(reference) }),
};

@Injectable()
export class LogExportsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly files: LogExportFiles,
  ) {}

  create(caller: Principal, input: CreateLogExportDto): Promise<WrittenLogExportResponse> {
    const owner = inWorkspace(caller);
    const { requested_data: requestedData, format = 'jsonl', description = null } = input;
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertNotDenied(manager, caller, owner.workspaceId, requestedData);
      const filters = await storedFilters(manager, owner.workspaceId, input.filters);
      const selection = { ...owner, filters, onlyUserId: ownDataOnly(caller), until: null };
      const saved = await createRow(write, LOG_EXPORT, {
        ...selection,
        status: 'draft',
        description,
        format,
        requestedData,
        createdBy: actorOf(caller),
        attributedUserId: caller.userId ?? caller.makerId,
        total: await countOf(manager, selection),
      });
      return written(saved);
    });
  }

  async list(caller: Principal, query: ListLogExportsQuery): Promise<ListResponse<LogExportResponse>> {
    const where = visibleTo(caller);
    const [rows, total] = await listRows(this.dataSource.manager, LOG_EXPORT, query, {
      where,
      search: { text: query.search, in: ['description'] },
    });
    return listOf([rows.map(toLogExport), total]);
  }

  async get(at: ResourceReference): Promise<LogExportResponse> {
    return toLogExport(await findRow(this.dataSource.manager, LOG_EXPORT, at));
  }

  update(at: ResourceReference, input: UpdateLogExportDto): Promise<WrittenLogExportResponse> {
    const { caller } = at;
    return this.change(at, 'update', async (row, manager) => {
      if (row.status === 'in_progress' || row.status === 'success')
        throw conflict('An export that runs or has succeeded cannot be changed; create another one.');
      await assertNotDenied(manager, caller, row.workspaceId, input.requested_data ?? row.requestedData);
      assign(PlainFields, row, input);
      row.filters = await storedFilters(manager, row.workspaceId, input.filters);
      row.until = null;
      row.total = await countOf(manager, row);
    }).then(written);
  }

  /**
   * Starts the export from the beginning and discards the output of an earlier run. A worker picks
   * it up within seconds.
   */
  async start(caller: Principal, reference: string): Promise<LogExportTaskResponse> {
    await this.change({ caller, reference, ifMatch: undefined }, 'export', async (row, manager) => {
      if (row.status === 'in_progress') throw conflict('The export is already running.');
      if (row.status === 'success') throw conflict('The export has already succeeded; create another one.');
      await assertNotDenied(manager, caller, row.workspaceId, row.requestedData);
      await manager.delete(LogExportPartEntity, { exportId: row.id });
      Object.assign(row, {
        status: 'in_progress',
        run: row.run + 1,
        until: new Date(),
        rowsDone: 0,
        bytesDone: '0',
        position: null,
        failure: null,
        leaseOwner: null,
        leaseUntil: null,
        workersLost: 0,
        finishedAt: null,
      } satisfies Partial<LogExportEntity>);
    });
    return { message: 'The export has been started.', object: 'export' };
  }

  async cancel(caller: Principal, reference: string): Promise<LogExportTaskResponse> {
    await this.change({ caller, reference, ifMatch: undefined }, 'manage', (row) => {
      if (row.status !== 'in_progress') throw conflict('The export is not running.');
      Object.assign(row, { status: 'stopped', leaseOwner: null, leaseUntil: null, finishedAt: new Date() });
    });
    return { message: 'The export has been cancelled.', object: 'export' };
  }

  async download(at: ResourceReference): Promise<LogExportDownloadResponse> {
    const row = await findRow(this.dataSource.manager, LOG_EXPORT, at);
    if (row.status !== 'success')
      throw invalid('exportId', 'the export has not succeeded, so it has no file');
    return { signed_url: this.files.link(at.caller, row) };
  }

  /** Hides the export immediately; a worker deletes its files. */
  async remove(at: ResourceReference): Promise<object> {
    await this.change(at, 'delete', (row) => {
      if (row.status === 'in_progress')
        throw conflict('A running export must be cancelled before it is deleted.');
      row.deletedAt = new Date();
    });
    return {};
  }

  async fieldRestrictions(caller: Principal): Promise<FieldRestrictionsResponse> {
    const { workspaceId } = inWorkspace(caller);
    const { deniedFields, source } = await restrictionsOf(this.dataSource.manager, caller, workspaceId);
    return {
      workspace_id: workspaceId,
      deniedFields,
      allowedFields: LOG_EXPORT_FIELDS.filter((field) => !deniedFields.includes(field)),
      source,
    };
  }

  private change(
    at: ResourceReference,
    action: string,
    apply: (row: LogExportEntity, manager: EntityManager) => void | Promise<void>,
  ): Promise<LogExportEntity> {
    return this.writes.run(at.caller, (write) =>
      changeRow(write, LOG_EXPORT, at, (row) => apply(row, write.manager), action),
    );
  }
}

const conflict = (message: string): GatewayError => new GatewayError('conflict', { message });

const written = ({ id, total }: LogExportEntity): WrittenLogExportResponse => ({
  id,
  total,
  object: 'export',
});

/**
 * Returns a condition for the exports that a caller may see. Callers with a user key or restricted
 * to their own data see only exports that they created. Restricted callers do not see their exports
 * from before the restriction, which contain the data of others.
 */
function visibleTo(caller: Principal): FindOptionsWhere<LogExportEntity> {
  const onlyUserId = ownDataOnly(caller);
  const owner = caller.keyType === 'workspace-user' ? caller.userId : onlyUserId;
  return {
    ...reach(caller),
    deletedAt: IsNull(),
    ...(owner === null ? {} : { attributedUserId: owner }),
    ...(onlyUserId === null ? {} : { onlyUserId }),
  };
}

const countOf = async (
  manager: EntityManager,
  row: Parameters<typeof logExportFilter>[0],
): Promise<number> => {
  const { page_size: size, current_page: page = 0 } = row.filters as LogExportFilters;
  const counted = await countLogs(manager, logExportFilter(row), COUNTED_MAX);
  return size === undefined ? counted : Math.max(0, Math.min(size, counted - page * size));
};

async function restrictionsOf(
  manager: EntityManager,
  { organisationId }: Principal,
  workspaceId: string,
): Promise<ExportRestrictions> {
  const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
  const workspace = found(await manager.findOneBy(WorkspaceEntity, { id: workspaceId, organisationId }));
  return exportRestrictionsOf(organisation, workspace);
}

async function assertNotDenied(
  manager: EntityManager,
  caller: Principal,
  workspaceId: string,
  requested: readonly string[],
): Promise<void> {
  const { deniedFields } = await restrictionsOf(manager, caller, workspaceId);
  const denied = requested.filter((field) => deniedFields.includes(field));
  if (denied.length === 0) return;
  throw invalid(
    'requested_data',
    `requested_data must not contain these denied fields: ${denied.join(', ')}`,
  );
}

/**
 * Returns the filters under their canonical names, the only ones that workers understand. Throws
 * `validation_failed` for another workspace and for a time that is also sent under its alias.
 */
async function storedFilters(
  manager: EntityManager,
  workspaceId: string,
  { created_at: created, workspace_slug: slug, ...rest }: LogExportFiltersDto,
): Promise<Record<string, unknown>> {
  if (slug !== undefined && !(await manager.existsBy(WorkspaceEntity, { id: workspaceId, slug })))
    throw invalid('filters.workspace_slug', 'filters.workspace_slug must be the workspace of the export');
  assertOneOf('min', 'gte', [rest.time_of_generation_min, created?.gte]);
  assertOneOf('max', 'lte', [rest.time_of_generation_max, created?.lte]);
  const filters: LogExportFilters = {
    ...rest,
    ...(created?.gte === undefined ? {} : { time_of_generation_min: created.gte }),
    ...(created?.lte === undefined ? {} : { time_of_generation_max: created.lte }),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

function assertOneOf(
  end: 'min' | 'max',
  alias: 'gte' | 'lte',
  values: readonly (string | undefined)[],
): void {
  if (values.includes(undefined)) return;
  throw invalid(
    `filters.created_at.${alias}`,
    `created_at.${alias} and time_of_generation_${end} are mutually exclusive; send one of them`,
  );
}
