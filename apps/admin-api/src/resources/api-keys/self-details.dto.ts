import { ResponseField, QueryBooleanField } from '@gw/web';
import { ApiKeyResponse } from '../../platform/keys/api-keys.view';

export class SelfDetailsQuery {
  @QueryBooleanField({ optional: true }) include_organisation?: boolean;
  @QueryBooleanField({ optional: true }) include_workspace?: boolean;
}

export class OrganisationDetails {
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.text({ example: 'Acme' }) readonly name!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: string;
}

export class WorkspaceDetails {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'search-team' }) readonly slug!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: string;
}

class SelfDetails {
  @ResponseField.one(() => ApiKeyResponse) readonly api_key_details!: ApiKeyResponse;
  @ResponseField.one(() => OrganisationDetails, { optional: true })
  readonly organisation_details?: OrganisationDetails;
  @ResponseField.one(() => WorkspaceDetails, {
    optional: true,
    description: 'Workspace of the key; absent for a key of the whole organisation.',
  })
  readonly workspace_details?: WorkspaceDetails;
}

/** Describes the API key with which the caller authenticates. */
export class SelfDetailsResponse {
  @ResponseField.one(() => SelfDetails) readonly data!: SelfDetails;
  @ResponseField.kind('api-key-details') readonly object!: 'api-key-details';
}
