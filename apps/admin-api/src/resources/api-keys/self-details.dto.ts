import { Answer, QueryBooleanField } from '@gw/web';
import { ApiKeyAnswer } from '../../platform/keys/api-keys.view';

export class SelfDetailsQuery {
  @QueryBooleanField({ optional: true }) include_organisation?: boolean;
  @QueryBooleanField({ optional: true }) include_workspace?: boolean;
}

class OrganisationDetails {
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.text({ example: 'Acme' }) readonly name!: string;
  @Answer.oneOf(['active', 'archived']) readonly status!: string;
}

class WorkspaceDetails {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'search-team' }) readonly slug!: string;
  @Answer.text({ example: 'Search team' }) readonly name!: string;
  @Answer.oneOf(['active', 'archived']) readonly status!: string;
}

class SelfDetails {
  @Answer.one(() => ApiKeyAnswer) readonly api_key_details!: ApiKeyAnswer;
  @Answer.one(() => OrganisationDetails, { optional: true })
  readonly organisation_details?: OrganisationDetails;
  @Answer.one(() => WorkspaceDetails, { optional: true, description: 'Not of an organisation key.' })
  readonly workspace_details?: WorkspaceDetails;
}

/** What an API key may know of itself. */
export class SelfDetailsAnswer {
  @Answer.one(() => SelfDetails) readonly data!: SelfDetails;
  @Answer.kind('api-key-details') readonly object!: 'api-key-details';
}
