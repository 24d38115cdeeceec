import { TestAdminApi, type Tenant } from '../../apps/admin-api/src/spec-support/admin-api';
import { ApiClient } from '../../apps/cli/src/api-client';
import { runCli } from '../../apps/cli/src/cli';
import { reconcile, type ReconcileOptions, type State } from '../../apps/cli/src/reconcile';

/** Applies files of `tollgate` to tenants of a running admin API; create it in a `describe`. */
export class CliTenants {
  readonly admin: TestAdminApi;
  private url = '';

  constructor(
    private readonly environment: Readonly<Record<string, string>> = {},
    settings: ConstructorParameters<typeof TestAdminApi>[0] = {},
  ) {
    this.admin = new TestAdminApi(settings);
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

  /** Runs a command like in a terminal. Returns its exit code and its output. */
  async run({ adminKey }: Tenant, ...args: readonly string[]): Promise<{ code: number; text: string }> {
    let text = '';
    const print = (piece: string): void => {
      text += piece;
    };
    const environment = { ...this.environment, TOLLGATE_API_KEY: adminKey, TOLLGATE_URL: this.url };
    const output = { out: print, err: print, input: () => Promise.resolve('') };
    return { code: await runCli(args, environment, output, new AbortController().signal), text };
  }
}
