import { INTERNAL, type McpConnectionContent } from '@gw/contracts';
import { unseal } from '@gw/kernel';
import { connectionBinding } from '@gw/mcp';
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose';
import { openTokens } from '../../platform/mcp/connection-tokens';
import { SERVICE_TOKEN } from '../../spec-support/admin-api';
import { Secrets } from '../../settings';
import { ConnectScene } from './spec-support/connect-scene';

describe("users' tokens at servers that accept only tokens bound to a key", () => {
  const scene = new ConnectScene();
  const { api } = scene;

  beforeEach(() => {
    scene.upstream.demandsProof = 'challenge';
    scene.as.wantsNonce = false;
    scene.as.metadata = null;
  });

  async function connect(): Promise<string> {
    const user = await scene.addUser();
    await scene.connect({ user, key: await scene.keyOf(user.id) });
    return user.id;
  }
  async function refresh(userId: string): Promise<unknown> {
    const { version } = (await scene.document(userId)) ?? {};
    const body = { serverId: scene.serverId, userId, version };
    return (await api.post(INTERNAL.mcpConnectionRefresh, { token: SERVICE_TOKEN, body })).body;
  }
  const proofs = (): readonly (string | null)[] =>
    scene.as.requests.filter(({ path }) => path === '/token').map(({ proof }) => proof);
  const thumbprintOf = (proof: string | null | undefined): Promise<string> =>
    calculateJwkThumbprint(decodeProtectedHeader(proof ?? '').jwk ?? {});
  /** Returns the content that gateways get. */
  async function content(userId: string): Promise<McpConnectionContent> {
    const document = await scene.document(userId);
    if (document === null) throw new Error('There is no connection.');
    const ring = api.api.app.get(Secrets).sealingKeyring;
    const text = unseal(ring, document.sealedTokens, connectionBinding(document)).toString('utf8');
    return JSON.parse(text) as McpConnectionContent;
  }

  it.each(['challenge', 'metadata'] as const)("are bound when the server's %s requires it", async (says) => {
    scene.upstream.demandsProof = says;
    const before = proofs().length;
    const userId = await connect();
    const [proof] = proofs().slice(before);
    const { payload } = await jwtVerify(proof ?? '', EmbeddedJWK);
    expect(payload).toMatchObject({ htm: 'POST', htu: `${scene.as.issuer}/token` });
    const { proofKey } = await content(userId);
    expect(await calculateJwkThumbprint((proofKey ?? {}) as never)).toBe(await thumbprintOf(proof));
  });

  it('have a separate key, of which refreshes prove possession too', async () => {
    const [one, other] = [await connect(), await connect()];
    const before = proofs().length;
    expect(await refresh(one)).toMatchObject({ outcome: 'refreshed' });
    const [proof] = proofs().slice(before);
    const keys = await Promise.all([one, other].map(async (id) => (await content(id)).proofKey));
    const prints = await Promise.all(keys.map((key) => calculateJwkThumbprint((key ?? {}) as never)));
    expect(prints[0]).toBe(await thumbprintOf(proof));
    expect(prints[1]).not.toBe(prints[0]);
  });

  it('are sealed together with their key', async () => {
    const userId = await connect();
    const row = await scene.connection(userId);
    const { proofKey } = openTokens(
      api.api.app.get(Secrets).sealingKeyring,
      row as never,
      row?.sealedTokens ?? '',
    );
    const secret = String(proofKey?.['d']);
    expect(secret.length).toBeGreaterThan(40);
    expect(JSON.stringify([row, await scene.document(userId), await scene.audits()])).not.toContain(secret);
  });

  it('are requested once more with the nonce of the authorization server', async () => {
    scene.as.wantsNonce = true;
    const before = proofs().length;
    const userId = await connect();
    expect(proofs().length - before).toBe(2);
    expect(await refresh(userId)).toMatchObject({ outcome: 'refreshed' });
    expect(proofs().length - before).toBe(4);
  });

  it('are not requested a third time', async () => {
    const userId = await connect();
    const before = proofs().length;
    scene.as.refusal = 'use_dpop_nonce';
    scene.as.nonce = 'again-and-again';
    try {
      expect(await refresh(userId)).toMatchObject({ outcome: 'failed' });
    } finally {
      scene.as.refusal = null;
      scene.as.nonce = null;
    }
    expect(proofs().length - before).toBe(2);
    expect(await scene.connection(userId)).toMatchObject({ status: 'connected' });
  });

  it('are not replaced with bearer tokens', async () => {
    const userId = await connect();
    scene.as.bearer = true;
    try {
      expect(await refresh(userId)).toMatchObject({ outcome: 'failed' });
    } finally {
      scene.as.bearer = false;
    }
  });

  it('are not requested from an authorization server without proofs', async () => {
    const { issuer } = scene.as;
    scene.as.metadata = {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ registration_endpoint: `${issuer}/reg`, code_challenge_methods_supported: ['S256'] },
      dpop_signing_alg_values_supported: ['none', 'HS256'],
    };
    const before = proofs().length;
    await expect(connect()).rejects.toThrow();
    expect(proofs()).toHaveLength(before);
    expect((await scene.audits())[0]).toMatchObject({
      ...{ action: 'refuse', after: { attempts: [{ reason: expect.stringContaining('ES256') }] } },
    });
  });

  it('are bearer tokens at other servers', async () => {
    scene.upstream.demandsProof = null;
    const before = proofs().length;
    const userId = await connect();
    expect(proofs().slice(before)).toEqual([null]);
    expect(await content(userId)).toEqual({ accessToken: expect.any(String) });
  });
});
