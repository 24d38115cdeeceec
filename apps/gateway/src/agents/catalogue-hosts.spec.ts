import { request } from 'node:http';
import { documentKey, type AgentServerDocument } from '@gw/contracts';
import { GatewayHarness } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { StubAgent } from './spec-support/stub-agent';

describe('the catalogue of a gateway without a public URL', () => {
  let gateway: GatewayHarness;
  let agent: StubAgent;
  let document: AgentServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
    agent = await StubAgent.start();
    document = agentDocument(agent, 'stub');
    saveAgent(gateway, document);
    const { organisationId, workspaceId } = document;
    gateway.documents.set(documentKey.agentCatalogue(workspaceId), {
      ...{ kind: 'agent_catalogue', version: 'v1', organisationId, workspaceId, slugs: ['stub'] },
    });
  });
  afterAll(async () => {
    await agent.close();
    await gateway.stop();
  });

  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host, 'x-gw-api-key': gateway.apiKey };
      request({ port: gateway.port, path: '/v1/agents/catalog.json', headers, setHost: false }, (res) => {
        res.resume();
        resolve(res.statusCode);
      })
        .on('error', reject)
        .end();
    });

  it.each(['h:99999', '999.1.1.1', ''])('refuses the host %j, which names none', async (host) => {
    expect(await statusFor(host)).toBe(400);
  });

  it('names the host of the request', async () => {
    expect(await statusFor('gateway.example')).toBe(200);
  });
});
