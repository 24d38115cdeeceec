import type { GatewayResponse, TestAdminApi } from './admin-api';
import { Fixtures, unknownFixture, withIds, type Fixture, type Place } from './tenancy-fixtures';
import { TENANCY_ROWS, type TenancyRow } from './tenancy-rows';
import type { Route } from './tenancy-expectations';

/** One request that a route accepts, sent to a new resource. */
export interface TargetCall {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/**
 * Calls routes of the document with the bodies of the tenancy matrix, on new resources of one
 * workspace.
 */
export class TargetCalls {
  private readonly fixtures: Fixtures;

  private constructor(
    private readonly admin: TestAdminApi,
    readonly place: Place,
    private readonly session: string,
  ) {
    this.fixtures = new Fixtures(admin);
  }

  static async in(admin: TestAdminApi): Promise<TargetCalls> {
    const place = { ...(await admin.tenant()), mark: 'ours', organisationMark: 'ours' };
    const session = await admin.login((await admin.user(place.organisationId, 'owner')).email);
    return new TargetCalls(admin, place, session);
  }

  async of(route: Route): Promise<TargetCall> {
    const row = TENANCY_ROWS[route.handler] as TenancyRow;
    const fixture: Fixture =
      row.kind === undefined ? unknownFixture() : await this.fixtures.of(row.kind, this.place);
    const { workspaceId } = this.place;
    const path = withIds(route.paths[0] ?? '', fixture, false).replace('{workspaceId}', workspaceId);
    const query = new URLSearchParams(row.query);
    if (row.needsWorkspace) query.set('workspace_id', workspaceId);
    // The body of the matrix row contains a wrong name on purpose, so the real name is read here.
    const { body: workspace } = await this.admin.get<{ name: string }>(`/v1/workspaces/${workspaceId}`, {
      key: this.place.adminKey,
    });
    const body =
      route.handler === 'workspaces_remove'
        ? { name: workspace.name }
        : row.body?.({ fixture, workspaceId, targetId: workspaceId });
    const at = query.size === 0 ? path : `${path}?${query.toString()}`;
    return { method: route.method, path: at, ...(body === undefined ? {} : { body }) };
  }

  /**
   * Sends the request with the workspace's key, the organisation's key and an owner's session, one
   * after another. Returns the first response that does not refuse the credential's rights.
   */
  async call<T>(
    { method, path, body }: TargetCall,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<GatewayResponse<T>> {
    const { key, adminKey } = this.place;
    const responses: GatewayResponse<T>[] = [];
    for (const credential of [{ key }, { key: adminKey }, { token: this.session }]) {
      const response = await this.admin.call<T>(method, path, {
        ...credential,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      if (![401, 403, 404].includes(response.status)) return response;
      responses.push(response);
    }
    return responses.at(-1) as GatewayResponse<T>;
  }
}
