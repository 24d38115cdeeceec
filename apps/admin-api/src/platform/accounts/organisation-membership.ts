/** A user as a member of an organisation. */
export interface OrganisationMembership {
  readonly organisationId: string;
  readonly userId: string;
}
