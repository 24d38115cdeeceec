import type { OrganisationDomainEntity } from '@gw/entities';
import { proofRecord } from '@gw/federation';
import {
  BooleanField,
  pageOf,
  pickOf,
  ResponseField,
  responseOf,
  RowResponse,
  TextField,
  viewOf,
} from '@gw/web';

export class DomainFields {
  @TextField({
    max: 253,
    example: 'example.org',
    description: 'Domain name in upper or lower case; international names in Unicode or ASCII form.',
  })
  domain!: string;
  @BooleanField({ optional: true, description: 'True: addresses of its subdomains count as well.' })
  allow_subdomains?: boolean;
}

export class UpdateDomainDto extends pickOf(DomainFields, 'allow_subdomains') {}

export class ListDomainsQuery extends pageOf({ size: 100 }) {}

export class DomainResponse extends responseOf(DomainFields, RowResponse) {
  @ResponseField.kind('domain') readonly object!: 'domain';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.boolean() override readonly allow_subdomains!: boolean;
  @ResponseField.boolean() readonly verified!: boolean;
  @ResponseField.text({
    description: 'Name of the TXT record that proves control of the domain.',
    example: '_tollgate-challenge.example.org',
  })
  readonly record_name!: string;
  @ResponseField.text({ description: 'Value of the TXT record.', example: 'tollgate-4Gq9' })
  readonly record_value!: string;
  @ResponseField.text({
    nullable: true,
    description: 'Time of the verification, in ISO 8601; null before it.',
    example: null,
  })
  readonly verified_at!: string | null;
  @ResponseField.text({ nullable: true, description: 'Time of the last check, in ISO 8601.', example: null })
  readonly checked_at!: string | null;
}

export const toDomain = (row: OrganisationDomainEntity): DomainResponse =>
  viewOf(DomainResponse, row, {
    object: 'domain',
    verified: row.verifiedAt !== null,
    record_name: proofRecord(row.domain),
    record_value: row.token,
    verified_at: row.verifiedAt?.toISOString() ?? null,
    checked_at: row.checkedAt?.toISOString() ?? null,
  });
