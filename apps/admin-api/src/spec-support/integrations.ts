import type { TestAdminApi } from './admin-api';

/** A credential that no response may contain. */
export const CANARY_KEY = 'sk-CANARYPROVIDER0123456789';

export interface CreatedIntegration {
  readonly id: string;
  readonly slug: string;
}

let count = 0;

/** Returns a valid body with a unique name. */
export const integrationBody = (more: object = {}): object => ({
  name: `Account ${String((count += 1))}`,
  ai_provider_id: 'openai',
  key: CANARY_KEY,
  ...more,
});

/** Creates an integration over the API with the credential `by`. */
export async function createIntegration(
  api: TestAdminApi,
  by: string,
  more: object = {},
): Promise<CreatedIntegration> {
  const response = await api.post<CreatedIntegration>('/v1/integrations', {
    key: by,
    body: integrationBody(more),
  });
  if (response.status !== 200) throw new Error(`failed to create an integration: ${response.text}`);
  return response.body;
}
