import type { TestAdminApi } from './admin-api';

/** A credential that no answer may repeat. */
export const CANARY_KEY = 'sk-CANARYPROVIDER0123456789';

export interface CreatedIntegration {
  readonly id: string;
  readonly slug: string;
}

let count = 0;

/** A body that is taken as it is; each has a name of its own. */
export const integrationBody = (more: object = {}): object => ({
  name: `Account ${String((count += 1))}`,
  ai_provider_id: 'openai',
  key: CANARY_KEY,
  ...more,
});

/** Makes an integration over the API with the credential `by`. */
export async function createIntegration(
  api: TestAdminApi,
  by: string,
  more: object = {},
): Promise<CreatedIntegration> {
  const answer = await api.post<CreatedIntegration>('/v1/integrations', {
    key: by,
    body: integrationBody(more),
  });
  if (answer.status !== 200) throw new Error(`The integration was not made: ${answer.text}`);
  return answer.body;
}
