import { generateKeyPairSync } from 'node:crypto';
import { verifyAgentCardSignature, type AgentCard } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { cardKeyBinding, documentKey, type AgentServerDocument } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { startAgentFixture, type AgentFixture } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';

const PUBLIC_URL = 'https://gateway.example.com';

describe('cards of agents', () => {
  let gateway: GatewayHarness;
  let fixture: AgentFixture;
  let document: AgentServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ PUBLIC_GATEWAY_URL: PUBLIC_URL });
    gateway.addKey(gateway.apiKey, { id: 'caller', scopes: ['agents.invoke'] });
    fixture = await startAgentFixture();
    document = agentDocument(fixture, 'helper');
    saveAgent(gateway, document);
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, {
      method,
      headers: { 'x-gw-api-key': gateway.apiKey, ...headers },
    });
  const CARD = '/v1/agent/helper/.well-known/agent-card.json';

  it('serves the approved card with the addresses and credentials of the gateway, in both forms', async () => {
    const response = await get(CARD, { 'a2a-version': '1.0' });
    expect(response.headers.get('vary')?.toLowerCase()).toContain('a2a-version');
    const card = (await response.json()) as Record<string, unknown>;
    expect(card).toMatchObject({ name: 'Fixture', version: '1.2.3', capabilities: { streaming: true } });
    expect(card).not.toHaveProperty('url');
    expect(JSON.stringify(card)).not.toContain(fixture.origin);
    expect(card['supportedInterfaces']).toEqual(
      ['1.0', '0.3'].flatMap((protocolVersion) =>
        ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
          ...{ url: `${PUBLIC_URL}/v1/agent/helper`, protocolBinding, protocolVersion },
        })),
      ),
    );
    expect(card['securitySchemes']).toHaveProperty('oauth2');
    const hybrid = (await (await get(CARD)).json()) as Record<string, unknown>;
    expect(hybrid).toMatchObject({ url: `${PUBLIC_URL}/v1/agent/helper`, protocolVersion: '0.3.0' });
    const named = (await (
      await get('/main/agents/helper/.well-known/agent.json', {}, 'POST')
    ).json()) as object;
    expect(named).toMatchObject({ url: `${PUBLIC_URL}/main/agents/helper` });
  });

  it('returns 304 to a client that has the card, until the card changes', async () => {
    const first = await get(CARD, { 'a2a-version': '1.0' });
    const etag = first.headers.get('etag') ?? '';
    const ask = () => get(CARD, { 'a2a-version': '1.0', 'if-none-match': etag });
    expect((await ask()).status).toBe(304);
    saveAgent(gateway, { ...document, card: document.card.replace('1.2.3', '1.2.4') });
    expect((await ask()).status).toBe(200);
    saveAgent(gateway, document);
  });

  it('shows only the skills that the caller may use', async () => {
    saveAgent(gateway, {
      ...document,
      rules: [{ subject: { type: 'key', id: 'caller' }, skills: ['wo*'], effect: 'deny' }],
    });
    const card = (await (await get(CARD)).json()) as { readonly skills: readonly { readonly id: string }[] };
    expect(card.skills.map(({ id }) => id)).toEqual(['say']);
    saveAgent(gateway, document);
  });

  it('signs the card with the key of the installation, so that the official SDK verifies it', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keySetUrl = `${PUBLIC_URL}/.well-known/jwks.json`;
    gateway.documents.set(documentKey.cardKey(), {
      ...{ kind: 'card_key', version: '1', keyId: 'key-1', keySetUrl },
      sealedKey: seal(
        sealingKeyring(gateway.master),
        JSON.stringify(privateKey.export({ format: 'jwk' })),
        cardKeyBinding('key-1'),
      ),
    });
    const first = await (await get(CARD, { 'a2a-version': '1.0' })).text();
    expect(await (await get(CARD, { 'a2a-version': '1.0' })).text()).toBe(first);
    const requested: (string | undefined)[] = [];
    const verify = verifyAgentCardSignature((kid, jku) => {
      requested.push(kid, jku);
      return Promise.resolve(publicKey);
    });
    // The parsed card of the SDK lacks the security schemes, so the signature of the received card
    // is verified.
    await verify(JSON.parse(first) as AgentCard);
    expect(requested).toEqual(['key-1', keySetUrl]);
    await expect(verify({ ...(JSON.parse(first) as AgentCard), name: 'Another' })).rejects.toThrow();
    expect(await (await get(CARD)).json()).not.toHaveProperty('signatures');
    gateway.documents.remove(documentKey.cardKey());
  });

  it('requires a credential, unless the card is listed and its address contains the workspace id', async () => {
    const none = { 'x-gw-api-key': '' };
    const listed = `/${WORKSPACE_ID}/agents/helper/.well-known/agent-card.json`;
    for (const path of [CARD, listed]) expect((await get(path, none)).status).toBe(401);
    saveAgent(gateway, { ...document, isListed: true });
    for (const path of [CARD, '/main/agents/helper/.well-known/agent-card.json'])
      expect((await get(path, none)).status).toBe(401);
    const response = await get(listed, none);
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      ...[200, expect.stringContaining('public')],
    ]);
    saveAgent(gateway, document);
  });

  it('serves the extended card to callers, when the agent has one', async () => {
    const client = await get('/v1/agent/helper/extendedAgentCard', { 'a2a-version': '1.0' });
    expect([client.status, await client.text()]).toEqual([
      400,
      expect.stringContaining('EXTENDED_AGENT_CARD'),
    ]);
    const card = { ...(JSON.parse(document.card) as object), capabilities: { extendedAgentCard: true } };
    saveAgent(gateway, {
      ...document,
      card: JSON.stringify(card),
      extendedCard: JSON.stringify({ ...card, description: 'More about it.' }),
    });
    expect(await (await get(CARD)).json()).toMatchObject({ supportsAuthenticatedExtendedCard: true });
    const extended = await get('/v1/agent/helper/extendedAgentCard', { 'a2a-version': '1.0' });
    expect(await extended.json()).toMatchObject({
      description: 'More about it.',
      supportedInterfaces: [{ url: `${PUBLIC_URL}/v1/agent/helper` }, {}, {}, {}],
    });
    saveAgent(gateway, document);
  });

  it('lists the agents that the caller may use', async () => {
    gateway.documents.set(documentKey.agentCatalogue(WORKSPACE_ID), {
      ...{
        kind: 'agent_catalogue',
        version: '1',
        organisationId: ORGANISATION_ID,
        workspaceId: WORKSPACE_ID,
      },
      slugs: ['helper', 'hidden', 'gone'],
    });
    saveAgent(
      gateway,
      agentDocument(fixture, 'hidden', { userAccess: { isAllowed: false, exceptions: {} } }),
    );
    const response = await get('/v1/agents/catalog.json');
    expect(response.headers.get('content-type')).toBe('application/ai-catalog+json');
    expect(await response.json()).toEqual({
      specVersion: '1.0',
      entries: [
        {
          identifier: 'urn:air:gateway.example.com:agents:helper',
          ...{ displayName: 'Fixture', description: 'An agent for specs.', version: '1.2.3' },
          type: 'application/a2a-agent-card+json',
          url: `${PUBLIC_URL}${CARD}`,
        },
      ],
    });
    expect((await get('/v1/agents/catalog.json', { 'x-gw-api-key': '' })).status).toBe(401);
  });

  it('is read by the official SDK in both forms', async () => {
    const fetchImpl: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-gw-api-key', gateway.apiKey);
      return fetch(input, { ...init, headers });
    };
    const resolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled: true } });
    const card = await resolver.resolve(`http://127.0.0.1:${String(gateway.port)}`, CARD);
    expect(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toEqual([
      ...['1.0', '1.0', '0.3', '0.3'],
    ]);
    const old = resolver.normalizeAgentCard(await (await get(CARD)).json());
    expect(old.skills.map(({ id }) => id)).toEqual(['say', 'work']);
  });
});
