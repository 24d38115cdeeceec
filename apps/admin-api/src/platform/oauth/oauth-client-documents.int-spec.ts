import { BufferedClient, type BufferedRequest } from '@gw/outbound';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { asserted, CLIENT_JWK, clientAssertion } from './spec-support/client-assertion';
import { CALLBACK, OauthJourney, PUBLIC_URL, type TokenBody } from './spec-support/oauth-journey';

const HOST = 'https://app.client.example';
describe('OAuth clients that are documents at URLs', () => {
  const api = new TestAdminApi({ PUBLIC_URL, TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let server: Server;
  let documents: Map<string, (response: ServerResponse) => void>;
  let reads: string[];
  let user: { readonly email: string };

  beforeAll(async () => {
    server = createServer(({ url = '' }: IncomingMessage, response) => {
      reads.push(url);
      const respond = documents.get(url);
      if (respond === undefined) response.writeHead(404).end();
      else respond(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    // The clients' host has no certificate in this test: the same HTTP client reads their documents
    // from a server on loopback, which may be slow on a busy machine.
    const http = api.api.app.get(BufferedClient);
    const fetch = http.fetchBuffered.bind(http);
    jest
      .spyOn(http, 'fetchBuffered')
      .mockImplementation((request: BufferedRequest) =>
        fetch({ ...request, url: request.url.replace(HOST, origin), totalTimeoutMs: 60_000 }),
      );
    user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    documents = new Map();
    reads = [];
  });

  let made = 0;
  /** Publishes a document at a new path, and returns its URL. */
  function publish(more: object = {}, headers: Readonly<Record<string, string>> = {}): string {
    made += 1;
    const path = `/client-${String(made)}.json`;
    const client_id = HOST + path;
    const document = { client_id, client_name: 'Documented', redirect_uris: [CALLBACK], ...more };
    documents.set(path, (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(document)),
    );
    return client_id;
  }

  it('get a token, and are shown with their host on the consent page', async () => {
    const metadata = await api.get('/.well-known/oauth-authorization-server');
    expect(metadata.body['client_id_metadata_document_supported']).toBe(true);
    const clientId = publish();
    const begun = await journey.begin(clientId);
    const page = await journey.signIn(begun, user.email);
    expect(page.text).toContain('This is the client of <strong>app.client.example</strong>');
    const query = await journey.resume(
      begun,
      await journey.decide(begun, page, 'approve', tenant.workspaceId),
    );
    const { status, body } = await journey.exchange(begun, query.get('code') ?? '');
    expect([status, body.scope]).toEqual([200, 'completions.write']);
    expect((await journey.refresh(clientId, body.refresh_token)).status).toBe(200);
    expect(reads).toHaveLength(1);
  });

  it('are refused with the reason', async () => {
    const refusal = async (clientId: string): Promise<string> => {
      const { response } = await journey.begin(clientId);
      expect([response.status, response.headers['location']]).toEqual([400, undefined]);
      return response.text;
    };
    const at = (path: string, respond: (response: ServerResponse) => void): string => {
      documents.set(path, respond);
      return HOST + path;
    };
    const json = { 'content-type': 'application/json' };
    expect(await refusal(`${HOST}/missing.json`)).toContain('responded with 404');
    expect(await refusal(publish({ client_id: `${HOST}/other.json` }))).toContain('character for character');
    expect(await refusal(publish({ client_secret: 'x' }))).toContain('client_secret must not be in a public');
    expect(await refusal(publish({ redirect_uris: ['http://example.org/cb'] }))).toContain('redirect_uris');
    expect(await refusal(publish({}, { 'content-type': 'text/html' }))).toContain('must respond with JSON');
    const moved = (response: ServerResponse): void => {
      response.writeHead(302, { location: `${HOST}/client-1.json` }).end();
    };
    expect(await refusal(at('/moved.json', moved))).toContain('responded with 302');
    const large = (response: ServerResponse): void => {
      response.writeHead(200, json).end(JSON.stringify({ text: 'x'.repeat(1_000_000) }));
    };
    expect(await refusal(at('/large.json', large))).toContain('cannot be read');
    for (const clientId of [
      'https://127.0.0.1/c.json',
      'https://10.0.0.1/c.json',
      'https://localhost/c.json',
    ])
      expect(await refusal(clientId)).toContain('client_id: it');
    expect(await refusal(`${HOST}/${'x'.repeat(600)}`)).toContain('at most 512 characters');
    const count = reads.length;
    expect(await refusal(`${HOST}/missing.json`)).toContain('responded with 404');
    expect(reads).toHaveLength(count);
  });

  it('cannot use an address that is not in their document', async () => {
    const { response } = await journey.begin(publish(), { redirect_uri: 'https://other.example.org/cb' });
    expect([response.status, response.headers['location']]).toEqual([400, undefined]);
  });

  describe('with private_key_jwt', () => {
    async function codeOf(more: object): Promise<(jwt?: string) => Promise<GatewayResponse<TokenBody>>> {
      const clientId = publish({ token_endpoint_auth_method: 'private_key_jwt', ...more });
      const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
      return (jwt = clientAssertion(clientId)) =>
        journey.token({
          ...{ grant_type: 'authorization_code', code, redirect_uri: begun.redirectUri },
          ...{ code_verifier: begun.verifier, client_id: clientId, ...asserted(jwt) },
        });
    }

    it('authenticate with keys in the document, or at the URL that it names', async () => {
      const inDocument = await codeOf({ jwks: { keys: [CLIENT_JWK] } });
      expect((await inDocument()).status).toBe(200);
      documents.set('/keys.json', (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ keys: [CLIENT_JWK] })),
      );
      const byUrl = await codeOf({ jwks_uri: `${HOST}/keys.json` });
      expect((await byUrl()).status).toBe(200);
      expect(reads).toContain('/keys.json');
    });

    it('are refused without an assertion, and with another key, a long lifetime or another audience', async () => {
      const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      const exchange = await codeOf({ jwks: { keys: [CLIENT_JWK] } });
      const clientId = `${HOST}/client-${String(made)}.json`;
      const now = Math.floor(Date.now() / 1_000);
      for (const jwt of [
        clientAssertion(clientId, {}, other),
        clientAssertion(clientId, { exp: now + 3_600 }),
        clientAssertion(clientId, { exp: now - 60 }),
        clientAssertion(clientId, { aud: 'https://other.example' }),
        clientAssertion(clientId, { iss: 'gw_cli' }),
      ])
        expect([(await exchange(jwt)).status, jwt]).toEqual([401, jwt]);
      expect((await exchange()).status).toBe(200);
    });

    it('can use an assertion once, even concurrently', async () => {
      const exchange = await codeOf({ jwks: { keys: [CLIENT_JWK] } });
      const jwt = clientAssertion(`${HOST}/client-${String(made)}.json`);
      const statuses = await Promise.all(
        Array.from({ length: 10 }, async () => (await exchange(jwt)).status),
      );
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
      expect(statuses.filter((status) => status === 401)).toHaveLength(9);
      expect((await exchange(jwt)).status).toBe(401);
    });
  });
});
