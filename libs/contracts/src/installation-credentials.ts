/** The content of `credentials.json`, which the first start writes for the new owner. */
export interface InstallationCredentials {
  /** Base URL of both planes; ends in `/v1`. */
  readonly base_url: string;
  readonly admin_url: string;
  /** A workspace-service key. */
  readonly api_key: string;
  /** An organisation-service key. */
  readonly admin_api_key: string;
  readonly organisation_id: string;
  readonly workspace_id: string;
  readonly workspace_slug: string;
  readonly owner_email: string;
  readonly owner_password: string;
}
