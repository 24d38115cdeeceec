import { ScimUserEntity } from '@gw/entities';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inOrganisation } from '../../platform/auth/tenancy';
import { withinCall } from '../../platform/common/call-context';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import type { Principal } from '../../platform/common/principal';
import { DryRunChecked } from '../../platform/dry-runs/dry-run-checked';
import type { AuditEntry } from '../../platform/unit-of-work/audit-recorder';
import { mask } from '../../platform/unit-of-work/mask';
import { SETTINGS } from '../../settings';
import { ScimDispatcher } from './scim-dispatcher.service';
import { scimErrorBody, scimErrorOf } from './scim-errors';
import { ScimExchanges } from './scim-exchanges.service';
import type { DryRunResponse, ScimDryRunDto, ScimExchangeListResponse } from './scim-setup.dto';

/** Shows the state of SCIM to administrators who set it up. */
@Injectable()
export class ScimSetupService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dispatcher: ScimDispatcher,
    private readonly monitor: ScimExchanges,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  async exchanges(caller: Principal): Promise<ScimExchangeListResponse> {
    const { organisationId } = inOrganisation(caller);
    const rows = await this.monitor.list(organisationId);
    const pending = await this.dataSource.manager.countBy(ScimUserEntity, { organisationId, pending: true });
    return {
      object: 'list',
      pending_users: pending,
      data: rows.map((row) => ({
        created_at: row.createdAt.toISOString(),
        dialect: row.dialect,
        method: row.method,
        path: row.path,
        status: row.status,
        scim_type: row.scimType,
        detail: row.detail,
        request_id: row.requestId,
      })),
    };
  }

  /**
   * Runs the request in a transaction that is rolled back, and returns its response and audit
   * entries.
   */
  async dryRun(caller: Principal, { method, path, body }: ScimDryRunDto): Promise<DryRunResponse> {
    const { organisationId } = inOrganisation(caller);
    const context = {
      organisationId,
      base: publicUrl(this.settings, '/v1/scim'),
      caller,
      dialect: 'other' as const,
    };
    const request = {
      method,
      path: path.slice(1).split('/'),
      query: {},
      body,
      ifMatch: undefined,
      ifNoneMatch: undefined,
    };
    const run = (): Promise<unknown> => this.dispatcher.dispatch(context, request);
    try {
      await withinCall({ claim: null, isDryRun: true }, run);
      return { status: 200, error: null, changes: [] };
    } catch (thrown) {
      if (thrown instanceof DryRunChecked) {
        return {
          status: STATUS[method] ?? 200,
          error: null,
          changes: (thrown.entries as readonly AuditEntry[]).map(changeOf),
        };
      }
      const error = scimErrorOf(thrown);
      return { status: error.status, error: scimErrorBody(error), changes: [] };
    }
  }
}

/** Statuses of the responses to successful requests, where they are not 200. */
const STATUS: Readonly<Record<string, number>> = { POST: 201, DELETE: 204 };

const changeOf = ({ action, resourceType, resourceId, workspaceId, before, after }: AuditEntry): object => ({
  action,
  resource_type: resourceType,
  resource_id: resourceId,
  workspace_id: workspaceId ?? null,
  before: mask(before ?? null),
  after: mask(after ?? null),
});
