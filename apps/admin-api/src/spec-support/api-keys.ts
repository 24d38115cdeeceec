import { hashApiKey } from '@gw/kernel';
import { Secrets } from '../settings';
import { MASTER_KEY, SERVICE_TOKEN, type TestAdminApi } from './admin-api';

export interface Key {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly etag: string;
  readonly scopes: string[];
  readonly [field: string]: unknown;
}

export interface Failure {
  readonly error: {
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
    readonly message: string;
    readonly details?: { readonly path: string; readonly message: string }[];
  };
}

export interface List<T = Key> {
  readonly object: string;
  readonly total: number;
  readonly data: T[];
}

export const UNKNOWN_ID = '018f0000-0000-7000-8000-000000000000';

export const hashOf = (secret: string): string =>
  hashApiKey(new Secrets(MASTER_KEY, SERVICE_TOKEN).apiKeyPepper, secret);

/** Creates a key over the API with the credential `by`. Throws for any status except 200. */
export async function createKey(
  admin: TestAdminApi,
  by: string,
  body: object = {},
  kind = 'workspace/service',
): Promise<Key> {
  const response = await admin.post<Key>(`/v1/api-keys/${kind}`, {
    key: by,
    body: { name: 'search', scopes: ['completions.write'], ...body },
  });
  if (response.status !== 200) throw new Error(`failed to create a key: ${response.text}`);
  return response.body;
}

/** Returns the newest change event. */
export async function lastEvent(admin: TestAdminApi): Promise<{ changed: string[]; removed: string[] }> {
  const [row] = await admin.dataSource.query<{ changed: string[]; removed: string[] }[]>(
    'SELECT changed, removed FROM change_events ORDER BY sequence DESC LIMIT 1',
  );
  return row ?? { changed: [], removed: [] };
}
