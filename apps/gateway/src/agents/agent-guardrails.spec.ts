import type { AgentServerDocument } from '@gw/contracts';
import { GatewayHarness } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { StubAgent, message, task, type StubResponder } from './spec-support/stub-agent';

type Phase = 'beforeToolCall' | 'afterToolCall';

describe('guardrails of agents', () => {
  let gateway: GatewayHarness;
  let agent: StubAgent;
  let document: AgentServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
    const redact = [{ id: 'default.regexReplace', parameters: { rule: '\\d{4}', redactText: '[number]' } }];
    gateway.addGuardrail('redact', redact, {}, { target: 'mcp_tools' });
    const words = [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }];
    gateway.addGuardrail('deny', words, { deny: true }, { target: 'mcp_tools' });
    agent = await StubAgent.start();
    document = agentDocument(agent, 'stub');
  });
  afterAll(async () => {
    await agent.close();
    await gateway.stop();
  });

  const judgedBy = (name: 'redact' | 'deny', phase: Phase): void =>
    saveAgent(gateway, {
      ...document,
      guardrails: [{ guardrailId: `guardrail-${name}`, runOn: [phase], skillIds: [] }],
    });
  const send = (more: object = {}, params: object = {}): Promise<unknown> => {
    const sent = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...more };
    return call('SendMessage', { message: sent, ...params });
  };
  const call = async (method: string, params: object): Promise<unknown> => {
    const response = await fetch(`${gateway.baseUrl}/agent/stub`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': gateway.apiKey },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.json();
  };
  const responds =
    (result: object): StubResponder =>
    (call, res) =>
      StubAgent.result(call, res, result);
  const fails =
    (text: string): StubResponder =>
    (call, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, error: { code: -32_603, message: text } }));
    };

  it('judge every text of a response, whatever its member', async () => {
    judgedBy('redact', 'afterToolCall');
    const artifact = {
      ...{ artifactId: 'a', name: 'name 1234', description: 'about 1234', metadata: { note: ['n 1234'] } },
      parts: [{ text: 'text 1234', filename: '1234.txt', metadata: { more: 'm 1234' } }],
      unknown: { deep: 'u 1234' },
    };
    const stated = { ...task('t', 'TASK_STATE_COMPLETED'), metadata: { of: 'task 1234' } };
    agent.respond = responds({ task: { ...stated, artifacts: [artifact] } });
    const shown = JSON.stringify(await send());
    expect(shown).not.toContain('1234');
    expect(shown.match(/\[number\]/g)).toHaveLength(8);
  });

  it('judge no ids, states, times and addresses, which clients need as they are', async () => {
    judgedBy('redact', 'afterToolCall');
    const part = { url: 'https://files.example/1234', mediaType: 'text/plain' };
    const status = { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00Z' };
    const artifacts = [{ artifactId: 'a-1234', parts: [part, { raw: 'MTIzNA==' }] }];
    const result = { task: { id: 't-1234', contextId: 'c-1234', status, artifacts } };
    agent.respond = responds(result);
    expect(await send()).toEqual({ jsonrpc: '2.0', id: 1, result });
  });

  it('judge the texts of errors, in streams as well', async () => {
    judgedBy('deny', 'afterToolCall');
    agent.respond = fails('the secret of another');
    expect(await send()).toMatchObject({ error: { code: 31_446 } });
    judgedBy('redact', 'afterToolCall');
    agent.respond = fails('pin 1234');
    expect(await send()).toMatchObject({ error: { code: -32_603, message: 'pin [number]' } });
  });

  it('of one skill judge a task that is read later, since its skill is not known then', async () => {
    saveAgent(gateway, {
      ...document,
      skills: [{ id: 'of-skill', skillId: 'stub' }],
      guardrails: [{ guardrailId: 'guardrail-redact', runOn: ['afterToolCall'], skillIds: ['of-skill'] }],
    });
    const artifacts = [{ artifactId: 'a', parts: [{ text: 'pin 1234' }] }];
    const read = { ...task('of-a-skill', 'TASK_STATE_WORKING'), artifacts };
    agent.respond = responds({ task: read });
    expect(JSON.stringify(await send({ metadata: { skillId: 'stub' } }))).toContain('pin [number]');
    expect(JSON.stringify(await send())).toContain('pin 1234');
    agent.respond = responds(read);
    expect(JSON.stringify(await call('GetTask', { id: 'of-a-skill' }))).toContain('pin [number]');
    expect(JSON.stringify(await call('ListTasks', { includeArtifacts: true }))).toContain('pin [number]');
  });

  it('judge the metadata of a message and of its request, and keep the name of the skill', async () => {
    judgedBy('redact', 'beforeToolCall');
    agent.respond = responds({ message: message('hello') });
    saveAgent(gateway, {
      ...document,
      skills: [{ id: 'of-skill', skillId: 'plan-2026' }],
      guardrails: [{ guardrailId: 'guardrail-redact', runOn: ['beforeToolCall'], skillIds: [] }],
    });
    await send({ metadata: { skillId: 'plan-2026', note: 'n 1234' } }, { metadata: { pin: ['p 1234'] } });
    expect(agent.calls.at(-1)?.params).toMatchObject({
      message: { metadata: { skillId: 'plan-2026', note: 'n [number]' } },
      metadata: { pin: ['p [number]'] },
    });
  });
});
