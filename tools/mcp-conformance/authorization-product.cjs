const { startProduct } = require('../product.cjs');

const USER = { email: 'owner@tollgate.local', password: 'conformance-owner' };

/**
 * Starts a product whose owner signs in at the suite's servers on `localhost`. `product` is a
 * `ConformanceProduct` of the admin API.
 * @returns {Promise<{ product: object, stop: () => Promise<void> }>}
 */
async function startAuthorizationProduct() {
  const { credentials, stop } = await startProduct((adminPort) => ({
    ...{ TRUSTED_CUSTOM_HOSTS: 'localhost', PUBLIC_URL: `http://localhost:${String(adminPort)}` },
    ...{ OWNER_EMAIL: USER.email, OWNER_PASSWORD: USER.password },
  }));
  const { workspace_id: workspaceId = '', admin_url: admin = '' } = credentials;
  /** @type {(path: string, body: object, headers?: Record<string, string>) => Promise<any>} */
  const post = async (path, body, headers = {}) => {
    const response = await fetch(`${admin}/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  const { auth_token: session } = await post('/auth/login', USER);
  const { key: userKey } = await post(
    '/api-keys/workspace/user',
    { name: 'Conformance', workspace_id: workspaceId, scopes: ['mcp.invoke'] },
    { authorization: `Bearer ${session}` },
  );
  const product = {
    ...{
      gateway: new URL(String(credentials.base_url)).origin,
      admin: `http://localhost:${new URL(admin).port}`,
    },
    ...{ workspaceId, adminKey: String(credentials.admin_api_key), userKey, user: USER },
  };
  return { product, stop };
}

module.exports = { startAuthorizationProduct };
