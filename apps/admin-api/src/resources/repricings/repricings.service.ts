import { OrganisationEntity, RepricingEntity } from '@gw/entities';
import { GatewayError, uuidv7, UNITS_PER_USD, DAY_MS } from '@gw/kernel';
import { assertMatches, invalid, listOf, rowFields, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { FOR_CHANGE, FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { found, inOrganisation, isUuid } from '../../platform/auth/tenancy';
import type {
  CreatedRepricingResponse,
  CreateRepricingDto,
  ListRepricingsQuery,
  RepricingResponse,
} from './repricings.dto';

const RANGE_MAX_MS = 366 * DAY_MS;
/** Maximum number of repricings of one organisation that are previewing or applying. */
const OPEN_MAX = 5;
const RESOURCE = 'repricings';
const NOTHING = { seen: 0, groups: [] };

/**
 * Re-prices the logs of a range with current prices: first as a preview, then as a change on
 * request. The worker does both.
 */
@Injectable()
export class RepricingsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreateRepricingDto): Promise<CreatedRepricingResponse> {
    const { organisationId } = inOrganisation(caller);
    const [startTime, endTime] = [new Date(input.start_time), new Date(input.end_time)];
    if (endTime <= startTime) throw invalid('end_time', 'end_time must be after start_time');
    if (endTime.getTime() - startTime.getTime() > RANGE_MAX_MS) {
      throw invalid('end_time', 'end_time must be at most 366 days after start_time');
    }
    const { provider = null, model = null } = input;
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertBelowOpenMax(manager, organisationId);
      const row = await manager.save(
        manager.create(RepricingEntity, {
          ...{ id: uuidv7(), organisationId, status: 'previewing', startTime, endTime, provider, model },
          ...{ cursorTime: null, cursorId: null, report: NOTHING },
        }),
      );
      write.concerns(row);
      write.audit({
        action: 'create',
        resourceType: RESOURCE,
        resourceId: row.id,
        after: toRepricing(row),
      });
      return { id: row.id, object: 'repricing' };
    });
  }

  async list(caller: Principal, query: ListRepricingsQuery): Promise<ListResponse<RepricingResponse>> {
    const [rows, total] = await this.dataSource.manager.findAndCount(RepricingEntity, {
      where: inOrganisation(caller),
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return listOf([rows.map(toRepricing), total]);
  }

  async get(caller: Principal, id: string): Promise<RepricingResponse> {
    return toRepricing(await findRepricing(this.dataSource.manager, caller, id, false));
  }

  /**
   * Starts to apply a repricing. Throws `conflict` unless its preview is complete and it has not
   * been applied yet.
   */
  apply(caller: Principal, id: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findRepricing(manager, caller, id, true);
      assertMatches(ifMatch, row);
      write.concerns(row);
      if (row.status !== 'previewed') {
        throw new GatewayError('conflict', {
          message: `The repricing is ${row.status}; only a previewed one can be applied.`,
        });
      }
      await assertBelowOpenMax(manager, row.organisationId);
      const before = toRepricing(row);
      Object.assign(row, { status: 'applying', cursorTime: null, cursorId: null, report: NOTHING });
      const after = toRepricing(await manager.save(row));
      write.audit({ action: 'apply', resourceType: RESOURCE, resourceId: row.id, before, after });
      return {};
    });
  }
}

async function assertBelowOpenMax(manager: EntityManager, organisationId: string): Promise<void> {
  // The lock on the organisation's row serialises concurrent creations.
  found(await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_CHANGE }));
  const open = { organisationId, status: In(['previewing', 'applying']) };
  if ((await manager.countBy(RepricingEntity, open)) < OPEN_MAX) return;
  throw new GatewayError('conflict', {
    message: `At most ${String(OPEN_MAX)} repricings can be open at the same time; wait until one has finished.`,
  });
}

async function findRepricing(
  manager: EntityManager,
  caller: Principal,
  id: string,
  forUpdate: boolean,
): Promise<RepricingEntity> {
  const where = { ...inOrganisation(caller), id: found(isUuid(id) ? id.toLowerCase() : null) };
  return found(await manager.findOne(RepricingEntity, { where, ...(forUpdate ? { lock: FOR_UPDATE } : {}) }));
}

const toRepricing = (row: RepricingEntity): RepricingResponse => ({
  id: row.id,
  status: row.status,
  start_time: row.startTime.toISOString(),
  end_time: row.endTime.toISOString(),
  provider: row.provider,
  model: row.model,
  seen: row.report.seen,
  difference: row.report.groups.reduce((sum, { before, after }) => sum + after - before, 0) / UNITS_PER_USD,
  data: row.report.groups.map(({ before, after, ...group }) => ({
    ...group,
    before: before / UNITS_PER_USD,
    after: after / UNITS_PER_USD,
    difference: (after - before) / UNITS_PER_USD,
  })),
  organisation_id: row.organisationId,
  object: 'repricing',
  ...rowFields(row),
});
