import { OrganisationDomainEntity } from '@gw/entities';
import { domainFault, DomainProofs, proofRecord } from '@gw/federation';
import { GatewayError, randomAlphanumeric } from '@gw/kernel';
import { assign, invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not } from 'typeorm';
import { endSessionsOfDomain } from '../../platform/accounts/domain-ends';
import { asciiDomain } from '../../platform/accounts/verified-domains';
import { inOrganisation, isUuid } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  changeRow,
  createRow,
  deleteRow,
  findRow,
  listRows,
  patchRow,
  type Resource,
} from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import {
  toDomain,
  type DomainFields,
  type DomainResponse,
  type ListDomainsQuery,
  UpdateDomainDto,
} from './domains.dto';

const DOMAIN: Resource<OrganisationDomainEntity> = {
  entity: OrganisationDomainEntity,
  type: 'domains',
  view: toDomain,
  where: (caller, reference) => ({
    organisationId: inOrganisation(caller).organisationId,
    ...(isUuid(reference) ? { id: reference } : { domain: asciiDomain(reference.trim()) }),
  }),
};

/** Manages the domains of an organisation's addresses, which it verifies by TXT records. */
@Injectable()
export class DomainsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly proofs: DomainProofs,
  ) {}

  create(
    caller: Principal,
    { domain: given, allow_subdomains: allowSubdomains = false }: DomainFields,
  ): Promise<DomainResponse> {
    const { organisationId } = inOrganisation(caller);
    const domain = asciiDomain(given.trim());
    const fault = domainFault(domain, allowSubdomains);
    if (fault !== null) throw invalid('domain', `domain ${fault}`);
    const token = `tollgate-${randomAlphanumeric(32)}`;
    return this.writes.run(caller, async (write) =>
      toDomain(await createRow(write, DOMAIN, { organisationId, domain, allowSubdomains, token })),
    );
  }

  async list(caller: Principal, query: ListDomainsQuery): Promise<ListResponse<DomainResponse>> {
    const { organisationId } = inOrganisation(caller);
    const [rows, total] = await listRows(this.dataSource.manager, DOMAIN, query, {
      where: { organisationId },
    });
    return listOf([rows.map(toDomain), total]);
  }

  async get(at: ResourceReference): Promise<DomainResponse> {
    return toDomain(await findRow(this.dataSource.manager, DOMAIN, at));
  }

  /**
   * Updates a domain. When its subdomains no longer count, ends the sessions that single sign-on
   * has opened for addresses of these subdomains.
   */
  update(at: ResourceReference, input: UpdateDomainDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, DOMAIN, at, async (row) => {
        const fault = domainFault(row.domain, input.allow_subdomains ?? row.allowSubdomains);
        if (fault !== null) throw invalid('allow_subdomains', `the domain ${fault}`);
        const before = { ...row };
        assign(UpdateDomainDto, row, input);
        if (before.allowSubdomains && !row.allowSubdomains) await endSessionsOfDomain(write, before, row);
      }),
    );
  }

  /**
   * Verifies a domain. Throws `validation_failed` when the record is missing, `conflict` when
   * another organisation has verified the domain, and `unavailable` when DNS does not respond.
   */
  async verify(at: ResourceReference): Promise<DomainResponse> {
    const { domain, token } = await findRow(this.dataSource.manager, DOMAIN, at);
    const isProven = await this.isProven(domain, token);
    return this.writes.run(at.caller, async (write) => {
      // Checked first, so that only callers who control the domain learn that another organisation
      // has verified it.
      if (!isProven) {
        throw invalid(
          'domain',
          `there is no TXT record ${proofRecord(domain)} with the value ${token}; add it and wait for DNS`,
        );
      }
      const verifiedAt = Not(IsNull());
      const other = await write.manager.findOneBy(OrganisationDomainEntity, { domain, verifiedAt });
      if (other !== null && other.organisationId !== at.caller.organisationId) {
        throw new GatewayError('conflict', {
          param: 'domain',
          message: 'Another organisation has verified this domain.',
        });
      }
      const row = await changeRow(
        write,
        DOMAIN,
        // A verification overwrites nothing that a caller edits, so If-Match is ignored.
        { ...at, ifMatch: undefined },
        (each) => {
          const now = new Date();
          Object.assign(each, { verifiedAt: each.verifiedAt ?? now, checkedAt: now, failures: 0 });
        },
        'verify',
      );
      return toDomain(row);
    });
  }

  /** Deletes a domain and ends the sessions that single sign-on has opened for its addresses. */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      deleteRow(write, DOMAIN, at, (row) => endSessionsOfDomain(write, row)),
    );
  }

  private async isProven(domain: string, token: string): Promise<boolean> {
    try {
      return await this.proofs.isProven(domain, token);
    } catch (cause) {
      throw new GatewayError('unavailable', { message: 'DNS does not answer right now; try again.', cause });
    }
  }
}
