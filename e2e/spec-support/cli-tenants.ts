import { TestAdminApi, type Tenant } from '../../apps/admin-api/src/spec-support/admin-api';
import { ApiClient } from '../../apps/cli/src/api-client';
import { reconcile, type ReconcileOptions, type State } from '../../apps/cli/src/reconcile';

/** Applies files of `tollgate` to tenants of an admin API that listens; created in a `describe`. */
export class CliTenants {
  readonly admin = new TestAdminApi();
  private url = '';

  constructor(private readonly environment: Readonly<Record<string, string>> = {}) {
    beforeAll(async () => {
      await this.admin.api.app.listen(0, '127.0.0.1');
      this.url = await this.admin.api.app.getUrl();
    });
  }

  clientOf({ adminKey }: Tenant): ApiClient {
    return new ApiClient(this.url, adminKey);
  }

  /** Returns the changes: `update mcp_servers tickets (name)`. */
  async apply(tenant: Tenant, state: State, more: Partial<ReconcileOptions> = {}): Promise<string[]> {
    const changes = await reconcile(this.clientOf(tenant), state, {
      ...{ dryRun: false, prune: false, secrets: false, onChange: () => undefined },
      ...{ environment: this.environment, ...more },
    });
    return changes.map(
      ({ action, kind, name, fields }) => `${action} ${kind} ${name} (${fields.join(', ')})`,
    );
  }
}
