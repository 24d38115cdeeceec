import { documentKey } from '@gw/contracts';
import { OrganisationEntity } from '@gw/entities';
import { assertMatches, etagOf, rowFields } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes } from '../audit/writes';
import type { Principal } from '../auth/principal';
import { found, inOrganisation } from '../auth/tenancy';
import { SETTINGS, type AdminSettings } from '../settings';
import type {
  OrganisationAnswer,
  OrganisationSettingsAnswer,
  UpdateOrganisationDto,
  UpdateOrganisationSettingsDto,
} from './organisations.dto';

@Injectable()
export class OrganisationsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    @Inject(SETTINGS)
    private readonly env: Pick<
      AdminSettings,
      'BLOCK_INLINE_CONFIG' | 'LOG_RETENTION_DISPLAY' | 'METRICS_RETENTION_DISPLAY'
    >,
  ) {}

  async get(caller: Principal): Promise<OrganisationAnswer> {
    return this.view(await this.find(this.dataSource.manager, caller));
  }

  async settings(caller: Principal): Promise<OrganisationSettingsAnswer> {
    return this.settingsView(await this.find(this.dataSource.manager, caller));
  }

  update(caller: Principal, input: UpdateOrganisationDto, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const row = await this.find(write.manager, caller, true);
      assertMatches(ifMatch, row);
      const before = this.view(row);
      if (input.name !== undefined) row.name = input.name;
      await write.manager.save(OrganisationEntity, row);
      const after = this.view(row);
      write.audit({ action: 'update', resourceType: 'organisation', resourceId: row.id, before, after });
      write.changed(documentKey.organisation(row.id));
      return {};
    });
  }

  updateSettings(
    caller: Principal,
    input: UpdateOrganisationSettingsDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await this.find(manager, caller, true);
      assertMatches(ifMatch, row);
      const before = this.settingsView(row);
      const debugLog = input.settings?.debug_log;
      if (debugLog !== undefined) row.settings = debugLog === null ? {} : { debug_log: debugLog };
      const block = input.data_plane_security_settings?.block_inline_config;
      if (block !== undefined) {
        row.dataPlaneSecuritySettings = block === null ? {} : { block_inline_config: block };
      }
      await manager.save(OrganisationEntity, row);
      const after = this.settingsView(row);
      write.audit({ action: 'update', resourceType: 'organisation', resourceId: row.id, before, after });
      write.changed(documentKey.organisation(row.id));
      return {};
    });
  }

  private async find(
    manager: EntityManager,
    caller: Principal,
    forUpdate = false,
  ): Promise<OrganisationEntity> {
    const { organisationId } = inOrganisation(caller);
    return found(
      await manager.findOne(OrganisationEntity, {
        where: { id: organisationId, status: 'active' },
        ...(forUpdate ? { lock: FOR_UPDATE } : {}),
      }),
    );
  }

  private view(row: OrganisationEntity): OrganisationAnswer {
    return {
      object: 'organisation',
      id: row.id,
      name: row.name,
      slug: row.slug,
      status: row.status,
      retention: {
        logs_days: this.env.LOG_RETENTION_DISPLAY,
        metrics_days: this.env.METRICS_RETENTION_DISPLAY,
      },
      ...rowFields(row),
    };
  }

  private settingsView(row: OrganisationEntity): OrganisationSettingsAnswer {
    const { block_inline_config: blocked = false } = row.dataPlaneSecuritySettings;
    return {
      object: 'organisation-settings',
      settings: { debug_log: row.settings.debug_log ?? 1 },
      data_plane_security_settings: { block_inline_config: blocked || this.env.BLOCK_INLINE_CONFIG },
      etag: etagOf(row),
    };
  }
}
