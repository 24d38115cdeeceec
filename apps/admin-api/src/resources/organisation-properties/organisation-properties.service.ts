import { readMetadataSchema } from '@gw/config-schema';
import { documentKey } from '@gw/contracts';
import { OrganisationEntity, OrganisationPropertiesEntity } from '@gw/entities';
import { assertMatches, assign, etagOf, validationFailed, viewOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FOR_CHANGE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { inOrganisation } from '../../platform/auth/tenancy';
import { PropertiesResponse, UpdatePropertiesDto } from './organisation-properties.dto';

@Injectable()
export class OrganisationPropertiesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async get(caller: Principal): Promise<PropertiesResponse> {
    const { organisationId } = inOrganisation(caller);
    return toProperties(await read(this.dataSource.manager, organisationId));
  }

  /** Updates the schemas. They apply to later writes and do not change existing metadata. */
  update(caller: Principal, input: UpdatePropertiesDto, ifMatch: string | undefined): Promise<object> {
    const { organisationId } = inOrganisation(caller);
    const faults = Object.entries(input).flatMap(([name, schema]) =>
      schema === undefined || schema === null
        ? []
        : readMetadataSchema(schema as Record<string, unknown>, name).faults,
    );
    if (faults.length > 0) throw validationFailed(faults);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_CHANGE });
      const row = await read(manager, organisationId);
      assertMatches(ifMatch, versionOf(row));
      const before = toProperties(row);
      assign(UpdatePropertiesDto, row, input);
      const after = toProperties(await manager.save(row));
      write.concerns({ id: null, etag: after.etag });
      write.audit({
        action: 'update',
        resourceType: 'organisation',
        resourceId: organisationId,
        before,
        after,
      });
      write.changed(documentKey.organisation(organisationId));
      return {};
    });
  }
}

/** Returns the saved properties, or empty ones if the organisation has none. */
async function read(manager: EntityManager, organisationId: string): Promise<OrganisationPropertiesEntity> {
  const row = await manager.findOneBy(OrganisationPropertiesEntity, { organisationId });
  return (
    row ??
    manager.create(OrganisationPropertiesEntity, {
      organisationId,
      apiKeyMetadataSchema: null,
      workspaceMetadataSchema: null,
      requestMetadataSchema: null,
    })
  );
}

/** Returns the version of the properties; 0 when they were never saved. */
const versionOf = (row: Partial<OrganisationPropertiesEntity>): { readonly version: number } => ({
  version: row.version ?? 0,
});

const toProperties = (row: OrganisationPropertiesEntity): PropertiesResponse =>
  viewOf(PropertiesResponse, row, { etag: etagOf(versionOf(row)), object: 'organisation-properties' });
