/** The content of `credentials.json`: what the first start hands to the newcomer. */
export interface InstallationCredentials {
  /** Of both planes; ends in `/v1`. */
  readonly base_url: string;
  readonly admin_url: string;
  /** Workspace-service key. */
  readonly api_key: string;
  /** Organisation-service key. */
  readonly admin_api_key: string;
  readonly organisation_id: string;
  readonly workspace_id: string;
  readonly workspace_slug: string;
  readonly owner_email: string;
  readonly owner_password: string;
}
