import { CONSOLE, inGroup, OidcScenes, type Members, type Scene } from './spec-support/oidc-scenes';
import type { Script } from './spec-support/scripted-provider';

describe('responses of OpenID Connect providers with known verdicts', () => {
  const scenes = new OidcScenes();

  it.each(inGroup('id_token'))('$id: $reason', async ({ input, expect: verdict }) => {
    const change = input['change'] as Members;
    const at = await scenes.scene({}, { max_age: change['connection.max_age'] ?? null });
    if (change['jwks'] === 'k1, after refetch k1 k2') {
      expect((await scenes.returned(at, {})).response.status).toBe(303);
      scenes.provider.script(at.path).keys = ['k1', 'k2'];
    }
    const made = await scenes.returned(at, change);
    const { response } = made;
    if (verdict === 'reject') return scenes.refused(at, response);
    expect([response.status, response.text]).toEqual([303, expect.any(String)]);
    expect(await scenes.emailOf(made)).toBe(`user@${at.domain}`);
  });

  it.each(inGroup('email'))('$id: $reason', async ({ input, expect: verdict }) => {
    const change = input['change'] as Members;
    const trust = { trust_email: change['connection.trust_email'] === true };
    const at = await scenes.scene({}, trust, change['domain.allow_subdomains'] === true);
    const made = await scenes.returned(at, change);
    const { response } = made;
    if (verdict === 'reject') return scenes.refused(at, response);
    if (verdict === 'accept for a linked subject, else refused') {
      await scenes.refused(at, response);
      expect((await scenes.returned(at, {})).response.status).toBe(303);
      expect((await scenes.returned(at, change)).response.status).toBe(303);
      return;
    }
    const user = change['domain.allow_subdomains'] === true ? `user@sub.${at.domain}` : `user@${at.domain}`;
    expect(await scenes.emailOf(made)).toBe(user);
  });

  /** Responses of the token endpoint, by their names in the cases. */
  const TOKEN_ENDPOINTS: Readonly<Record<string, Script['token']>> = {
    '200 without id_token': { access_token: 'x', token_type: 'Bearer' },
    '2 MB': { padding: 'x'.repeat(2_000_000) },
    hangs: () => undefined,
  };

  /** Starts a login as a case defines it; returns the query with which the browser returns. */
  async function callbackOf(at: Scene, input: Members): Promise<{ query: URLSearchParams; binding: string }> {
    if ('announced' in input) {
      const announced = { authorization_response_iss_parameter_supported: input['announced'] };
      scenes.provider.play(at.path, { metadata: { ...scenes.provider.metadata(at.path), ...announced } });
    }
    const { return_path } = input;
    const requested = { sso_client_id: at.connection, ...(return_path === undefined ? {} : { return_path }) };
    const { body } = await scenes.begin(requested);
    scenes.sayToken(at, body.url, {});
    const wrong = TOKEN_ENDPOINTS[String(input['token_endpoint'])];
    if (wrong !== undefined) scenes.provider.script(at.path).token = wrong;
    const query = new URLSearchParams({
      code: 'a',
      state: new URL(body.url).searchParams.get('state') ?? '',
    });
    for (const [name, value] of Object.entries(input)) {
      if (value === null) query.delete(name);
    }
    if (input['code2'] !== undefined) query.append('code', 'b');
    if (input['iss'] === 'other') query.set('iss', 'https://other.example');
    if (typeof input['error'] === 'string') {
      query.delete('code');
      query.set('error', input['error']);
      query.set('error_description', String(input['error_description']));
    }
    return { query, binding: body.login_binding };
  }
  const callbacks = inGroup('callback');
  const ofState = callbacks.filter(({ input }) => 'state' in input);
  const ofPath = callbacks.filter(({ input }) => 'return_path' in input);
  const ofResponse = callbacks.filter((each) => !ofState.includes(each) && !ofPath.includes(each));

  it.each(ofState)('$id: $reason', async ({ input }) => {
    const at = await scenes.scene();
    const { query } = await callbackOf(at, input);
    const response = await scenes.returnBy(query);
    if (input['state'] === null) {
      expect(response.status).toBe(403);
      return;
    }
    expect(response.status).toBe(303);
    if (input['state'] === 'used') return scenes.refused(at, await scenes.returnBy(query));
    const another = (await scenes.begin({ sso_client_id: at.connection })).body.login_binding;
    expect(await scenes.sessionOf({ response, binding: another })).toBeUndefined();
  });

  it.each(ofPath)('$id: $reason', async ({ input, expect: verdict }) => {
    const { query } = await callbackOf(await scenes.scene(), input);
    const { origin, pathname, searchParams } = scenes.locationOf(await scenes.returnBy(query));
    const path = verdict === 'there' ? input['return_path'] : '/';
    expect([origin + pathname, searchParams.get('return_path')]).toEqual([
      `${CONSOLE}/console/login/sso`,
      path,
    ]);
  });

  it.each(ofResponse)('$id: $reason', async ({ input, expect: verdict }) => {
    const at = await scenes.scene();
    const response = await scenes.returnBy((await callbackOf(at, input)).query);
    if (verdict === 'accept') {
      expect(response.status).toBe(303);
      return;
    }
    expect(String(response.headers['content-type'])).toContain('application/json');
    await scenes.refused(at, response);
  });

  it.each(inGroup('discovery'))('$id: $reason', async ({ input, expect: verdict }) => {
    const at = await scenes.scene();
    const issuer = scenes.provider.issuer(at.path);
    const { document } = input;
    const metadata =
      typeof document === 'string'
        ? JSON.stringify({ ...scenes.provider.metadata(at.path), padding: 'x'.repeat(1_100_000) })
        : (JSON.parse(JSON.stringify(document).replaceAll('https://idp.example', issuer)) as Members);
    scenes.provider.play(at.path, { metadata });
    const response = await scenes.begin({ sso_client_id: at.connection });
    if (verdict === 'reject') return scenes.refused(at, response);
    const { searchParams } = new URL(response.body.url);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
  });
});
