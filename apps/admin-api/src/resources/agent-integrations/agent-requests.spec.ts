import { agentRequest } from './agent-requests';

describe('agentRequest', () => {
  const of = (url: string) =>
    agentRequest(
      { url, binding: 'HTTP+JSON', version: '1.0', tenant: null },
      'getTask',
      { id: 'a task' },
      { authorization: 'Bearer secret' },
    );

  it.each(['https://agent.example/a2a', 'https://agent.example/a2a/', 'https://agent.example/a2a?of=this'])(
    'calls the address that gateways call for %s',
    (url) => {
      expect(of(url).url).toBe('https://agent.example/a2a/tasks/a%20task');
    },
  );

  it('accepts the media type of A2A 1.0, which some agents insist on', () => {
    expect(of('https://agent.example').headers).toMatchObject({
      accept: 'application/a2a+json, application/json',
      authorization: 'Bearer secret',
    });
  });
});
