import { policyRateLimit, RateLimitPolicyEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { assertMatches, listOf, type ListAnswer } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { assertMayChangeLimits, assertMayEnd, rankOf } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { toStoredRateLimit } from '../../platform/limits/limits';
import type { RateLimitDto } from '../../platform/limits/limits.dto';
import type {
  CreatedRateLimitPolicyDto,
  CreateRateLimitPolicyDto,
  GetPolicyQuery,
  ListRateLimitPoliciesQuery,
  UpdateRateLimitPolicyDto,
} from './policies.dto';
import { toRateLimitPolicy, type RateLimitPolicyAnswer } from './policies.view';
import { assertOwnOrganisation, findPolicy, listPolicies, recordPolicy, roomFor } from './policy-rows';
import { conditionsOf, groupKeysOf } from './policy-rules';

@Injectable()
export class RateLimitPoliciesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreateRateLimitPolicyDto): Promise<CreatedRateLimitPolicyDto> {
    assertOwnOrganisation(caller, input.organisation_id);
    const { target = 'llm', name, description = null } = input;
    const limit = limitOf(input);
    const conditions = conditionsOf(target, input.conditions);
    const groupBy = groupKeysOf(target, input.group_by ?? []);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const owner = await roomFor(manager, RateLimitPolicyEntity, caller);
      const content = { name, description, target, conditions, groupBy, ...limit };
      const row = await manager.save(
        manager.create(RateLimitPolicyEntity, {
          id: uuidv7(),
          ...owner,
          ...content,
          status: 'active',
          limitsRank: rankOf(caller),
        }),
      );
      recordPolicy(write, 'create', row, { after: toRateLimitPolicy(row) });
      return { id: row.id, object: 'policy_rate_limits' };
    });
  }

  async list(
    caller: Principal,
    query: ListRateLimitPoliciesQuery,
  ): Promise<ListAnswer<RateLimitPolicyAnswer>> {
    const { type, unit, target } = query;
    const { manager } = this.dataSource;
    const filters = { type, unit, target };
    const [rows, total] = await listPolicies(manager, RateLimitPolicyEntity, caller, query, filters);
    return listOf([rows.map(toRateLimitPolicy), total]);
  }

  async get(caller: Principal, id: string, query: GetPolicyQuery): Promise<RateLimitPolicyAnswer> {
    return toRateLimitPolicy(
      await findPolicy(this.dataSource.manager, RateLimitPolicyEntity, caller, id, query),
    );
  }

  update(
    caller: Principal,
    id: string,
    input: UpdateRateLimitPolicyDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findPolicy(manager, RateLimitPolicyEntity, caller, id, { forUpdate: true });
      assertMayChangeLimits(caller, row.limitsRank);
      assertMatches(ifMatch, row);
      const before = toRateLimitPolicy(row);
      const { name, description, conditions } = input;
      if (name !== undefined) row.name = name;
      if (description !== undefined) row.description = description;
      if (conditions !== undefined) row.conditions = conditionsOf(row.target, conditions);
      Object.assign(row, limitOf({ ...policyRateLimit(row), ...presentOf(input) }));
      recordPolicy(write, 'update', row, { before, after: toRateLimitPolicy(await manager.save(row)) });
      return {};
    });
  }

  /** Soft. */
  remove(caller: Principal, id: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findPolicy(manager, RateLimitPolicyEntity, caller, id, { forUpdate: true });
      assertMayEnd(caller, [row], 'The policy');
      assertMatches(ifMatch, row);
      const before = toRateLimitPolicy(row);
      row.status = 'archived';
      await manager.save(row);
      recordPolicy(write, 'delete', row, { before });
      return {};
    });
  }
}

type Limit = Pick<RateLimitPolicyEntity, 'type' | 'unit' | 'value' | 'window' | 'enforcement' | 'onOutage'>;

/** Throws `validation_failed` where the members do not fit together. */
function limitOf(input: RateLimitDto): Limit {
  const { type, unit, value, window, enforcement, on_outage: onOutage } = toStoredRateLimit(input, '');
  return {
    type,
    unit: unit as Limit['unit'],
    value,
    window: window ?? null,
    enforcement: enforcement ?? null,
    onOutage: onOutage ?? null,
  };
}

const LIMIT_FIELDS = ['unit', 'value', 'window', 'enforcement', 'on_outage'] as const;

/** What a request names of the limit; null clears. */
const presentOf = (input: UpdateRateLimitPolicyDto): Partial<RateLimitDto> =>
  Object.fromEntries(
    LIMIT_FIELDS.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  );
